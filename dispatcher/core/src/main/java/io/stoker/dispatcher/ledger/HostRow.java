package io.stoker.dispatcher.ledger;

import io.stoker.common.message.HostMessage.HostResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A host as the database knows it. That it lives is not here but in the heartbeats.
 *
 * @param epoch granted to the agent's last start; only rises
 * @param nonce of the hello that it was granted to
 * @param journal id of the agent's journal
 * @param cordoned whether new placements are kept off it
 * @param reason why it is cordoned or lost
 * @param seenAt when it last said hello, ms since 1970
 * @param settings what people told it; null if they never did
 * @param drain how it is to be emptied; null if it is not
 * @param losses when its lease ran out by its own fault, ms since 1970, the last ones, in order;
 *     forgotten when people let placements come again
 * @param holder who holds the epoch, what earlier agents have left behind, and who else asks for
 *     the host's name
 * @param restored what is asked of it since the database was restored; null if nothing is
 * @param key how it proves who it is
 */
public record HostRow(
    String id,
    String fleet,
    long epoch,
    String nonce,
    String journal,
    String version,
    State state,
    boolean cordoned,
    String reason,
    HostResources resources,
    long seenAt,
    HostSettings settings,
    Drain drain,
    List<Long> losses,
    Holder holder,
    Restored restored,
    HostKey key) {
  private static final int LOSSES_KEPT = 16;

  public HostRow {
    losses = losses == null ? List.of() : losses;
    holder = holder == null ? Holder.NONE : holder;
    key = key == null ? HostKey.NONE : key;
  }

  /**
   * A host that is being emptied.
   *
   * @param deadline ms since 1970 after which what still runs is moved; null lets it end
   * @param dead whether nothing runs there any more, as people say; null if it does
   */
  public record Drain(Long deadline, Boolean dead) {
    public Drain(Long deadline) {
      this(deadline, null);
    }

    /** It has said hello since. */
    public Drain alive() {
      return new Drain(deadline, null);
    }
  }

  /** Whether its agent holds an epoch. Any may follow any: a goodbye does not end what runs. */
  public enum State {
    UP,
    /** Its lease ran out; the agent must say hello again. */
    LOST,
    /** It said goodbye. */
    GONE
  }

  /** How long its jobs run on while nothing is heard of it, ms; 0 for no longer than its lease. */
  public long outageMs() {
    if (restored != null && epoch <= restored.floor()) {
      return restored.silenceMs();
    }
    return resources == null ? 0 : resources.outageMs();
  }

  /** Whether people have said that nothing runs there any more, and nobody has acted on it. */
  public boolean declaredDead() {
    boolean something = state == State.UP || !holder.left().isEmpty() || unsettled();
    return something && drain != null && Boolean.TRUE.equals(drain.dead());
  }

  /** The epochs of hosts by their ids. */
  public static Map<String, Long> epochs(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, HostRow::epoch));
  }

  /** Its lease has run out, as those of many others have. */
  public HostRow lost(String why) {
    return lost(epoch, why, losses);
  }

  /** Its lease has run out, at that time. */
  public HostRow lost(String why, long now) {
    List<Long> all = new ArrayList<>(losses);
    all.add(now);
    return lost(epoch, why, all.subList(Math.max(0, all.size() - LOSSES_KEPT), all.size()));
  }

  /** Its agent may believe to have its epoch still: nothing of that is believed any more. */
  public HostRow dead(String why) {
    return lost(epoch + 1, why, losses).with(holder.dead()).with(key.released()).settled();
  }

  private HostRow lost(long newest, String why, List<Long> all) {
    return copy(newest, State.LOST, cordoned, why, resources, settings, drain, List.copyOf(all));
  }

  public HostRow gone() {
    return copy(epoch, State.GONE, cordoned, reason, resources, settings, drain, losses);
  }

  /** Whether an attempt on it was left behind by an earlier agent. */
  public boolean left(AttemptRow attempt) {
    return attempt.host().equals(id) && holder.left(attempt);
  }

  public HostRow with(Holder now) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seenAt,
        settings, drain, losses, now, restored, key);
  }

  public HostRow with(HostKey now) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seenAt,
        settings, drain, losses, holder, restored, now);
  }

  /** Whether it may run what a restored database does not know. */
  public boolean unsettled() {
    return restored != null;
  }

  /** Nothing is asked of it any more for the restore's sake. */
  public HostRow settled() {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seenAt,
        settings, drain, losses, holder, null, key);
  }

  public HostRow with(HostResources now) {
    return copy(epoch, state, cordoned, reason, now, settings, drain, losses);
  }

  /** Why it is given nothing by the scheduler of a fleet, if it belongs to another one. */
  public Optional<String> notOf(String scheduled) {
    return Optional.of(fleet)
        .filter(own -> !own.equals(scheduled))
        .map(own -> "its agent says fleet %s, and this is fleet %s".formatted(own, scheduled));
  }

  /**
   * Keeps placements off it, or lets them come again, which ends its draining and all that is held
   * against it.
   */
  public HostRow cordon(boolean keepOff, String why) {
    Drain emptied = keepOff ? drain : null;
    List<Long> left = keepOff ? losses : List.of();
    return copy(
        epoch, state, keepOff, keepOff ? kept(why) : why, resources, settings, emptied, left);
  }

  /** Who asks again without a reason does not mean that there is none any more. */
  private String kept(String why) {
    return why == null && cordoned ? reason : why;
  }

  /** Keeps placements off it, and empties it. */
  public HostRow drained(String why, Drain how) {
    return copy(epoch, state, true, kept(why), resources, settings, how, losses);
  }

  /** Changes what people told it. */
  public HostRow told(UnaryOperator<HostSettings> change) {
    HostSettings now = change.apply(settings == null ? HostSettings.NONE : settings);
    return copy(epoch, state, cordoned, reason, resources, now, drain, losses);
  }

  /** The same host; what its last hello said stays. */
  private HostRow copy(
      long newest,
      State now,
      boolean keepOff,
      String why,
      HostResources has,
      HostSettings told,
      Drain how,
      List<Long> lost) {
    return new HostRow(
        id, fleet, newest, nonce, journal, version, now, keepOff, why, has, seenAt, told, how, lost,
        holder, restored, key);
  }
}
