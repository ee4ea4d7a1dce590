package io.stoker.dispatcher.model;

import java.util.List;
import java.util.Optional;

/**
 * The holder of a host's epoch, what earlier holders left behind, and who else asks for the host's
 * name. Dispatchers of the build before leave it as it is; so it names the grant that it tells of.
 *
 * @param nonce of the grant; another one than the host's tells that such a dispatcher has granted
 *     since, of which nothing is known here
 * @param seat of the agent, as its hello names it; null of an agent that names none
 * @param machine the agent's, for people; null if it is not known
 * @param challenged whether an agent of this host has ever answered a challenge: from then on each
 *     must
 * @param left attempts that an earlier agent had, or may have had, and that none has claimed since
 * @param rival who was refused last; null if nobody was
 */
public record Holder(
    String nonce, String seat, String machine, boolean challenged, List<Left> left, Rival rival) {
  /** Of a host of which nothing is known. */
  public static final Holder NONE = new Holder(null, null, null, false, List.of(), null);

  public Holder {
    left = left == null ? List.of() : List.copyOf(left);
  }

  /**
   * An attempt that was left behind. It is closed by its agent's word, or once no heartbeat of its
   * epoch or an earlier one has been in the log for so long that nothing of it can be left.
   *
   * @param epoch the last in which an agent may have had it
   * @param outageMs how long jobs of that agent run on unheard, ms; 0 for no longer than a lease
   */
  public record Left(String job, int number, long epoch, long outageMs) {
    public boolean is(AttemptRow attempt) {
      return attempt.job().equals(job) && attempt.number() == number;
    }
  }

  /**
   * Another agent that asks for the host's name.
   *
   * @param journal id of its journal
   * @param machine its machine's name; null if it does not tell
   * @param at when it was refused, ms since 1970
   * @param reason that it was told
   */
  public record Rival(String journal, String machine, long at, String reason) {}

  boolean left(AttemptRow attempt) {
    return left.stream().anyMatch(one -> one.is(attempt));
  }

  /** The seat of whom this grant was given to, if that is known. */
  public Optional<String> seat(String granted) {
    return granted.equals(nonce) ? Optional.ofNullable(seat) : Optional.empty();
  }

  public Holder with(List<Left> others) {
    return new Holder(nonce, seat, machine, challenged, others, rival);
  }

  public Holder with(Rival refused) {
    return new Holder(nonce, seat, machine, challenged, left, refused);
  }

  /** Nothing runs there any more, as people say: whoever comes next begins anew. */
  Holder dead() {
    return NONE;
  }
}
