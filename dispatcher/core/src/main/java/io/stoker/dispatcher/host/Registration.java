package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostDuty;
import io.stoker.dispatcher.model.HostGrant;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Answers a hello: whether it is welcome, and in which epoch. It must answer the challenge that
 * follows from the last grant, which one that was recorded cannot; and the host's name must not be
 * another agent's that may be alive.
 *
 * <p>The unit of work must hold the host's open attempts, their jobs, and what {@link JobEnd}
 * needs.
 */
public final class Registration {
  /** Whoever is refused asks again no sooner, and no later, in ms. */
  private static final long RETRY_AT_LEAST = 1_000;

  private static final long RETRY_AT_MOST = 5_000;

  /** How old what is known of a rival may be before it is written again, in ms. */
  private static final long RIVAL_AGAIN = 30_000;

  private Registration() {}

  /** What a hello is answered with. */
  public sealed interface Answer {
    /** The host's row, as it is to be from now on; empty if it stays as it is, or is not known. */
    Optional<HostRow> row();
  }

  /** It may act, in the row's epoch. */
  public record Welcomed(HostRow host) implements Answer {
    @Override
    public Optional<HostRow> row() {
      return Optional.of(host);
    }
  }

  /** It is to say hello again, with this. */
  public record Challenged(String challenge) implements Answer {
    @Override
    public Optional<HostRow> row() {
      return Optional.empty();
    }
  }

  /**
   * The host's name is another agent's.
   *
   * @param row with who was refused, where that is news
   */
  public record Refusal(Optional<HostRow> row, String reason, long retryMs) implements Answer {}

  /** What an agent calls an attempt: it never holds two members of one. */
  private record Numbered(String job, int attempt) {
    static Numbered of(AttemptRow row) {
      return new Numbered(row.job(), row.number());
    }
  }

  /**
   * Answers a hello; the same again is welcomed to the epoch that it has.
   *
   * @param silence what the heartbeat log proves of the host
   * @param signed whether it is signed with the host's key
   * @param challengeAll whether agents that know no challenges are refused, too, although none of
   *     their host has ever answered one
   */
  public static Answer answer(
      UnitOfWork unit,
      Optional<HostRow> known,
      Hello hello,
      boolean signed,
      Silence silence,
      boolean challengeAll) {
    if (known.filter(row -> !row.key().admits(signed)).isPresent()) {
      return new Refusal(Optional.empty(), unsigned(hello), RETRY_AT_MOST);
    }
    if (known.filter(row -> isGranted(row, hello)).isPresent()) {
      return new Welcomed(known.get());
    }
    boolean challenged = challengeAll || known.filter(row -> row.holder().challenged()).isPresent();
    if (hello.seat() == null && challenged) {
      return new Refusal(Optional.empty(), outdated(hello), RETRY_AT_MOST);
    }
    String challenge = Challenge.of(known, hello.nonce());
    if (hello.seat() != null && !challenge.equals(hello.answer())) {
      return new Challenged(challenge);
    }
    Optional<HostRow> taken = known.filter(row -> isTaken(row, hello, silence));
    return taken.isPresent()
        ? refusal(unit, taken.get(), hello, silence)
        : new Welcomed(grant(unit, known, hello, signed, silence));
  }

  private static String unsigned(Hello hello) {
    return "an agent of host %s does not sign, and the host has used its key: set stoker.agent.key"
        .formatted(hello.host());
  }

  private static boolean isGranted(HostRow row, Hello hello) {
    return row.state() == HostRow.State.UP && row.grant().nonce().equals(hello.nonce());
  }

  private static String outdated(Hello hello) {
    return "an agent of version %s answers no challenge, and host %s has one that does"
        .formatted(hello.version(), hello.host());
  }

  /**
   * Whether the epoch is held by an agent that may be alive, and is another one: a restored
   * database knows none of those to whom epochs were granted after its backup.
   */
  private static boolean isTaken(HostRow row, Hello hello, Silence silence) {
    boolean held =
        row.state() == HostRow.State.UP || (row.unsettled() && row.restored().grantedSince());
    return held && !isSuccessor(row, hello) && !silence.over(row.epoch(), outage(row, hello));
  }

  /**
   * Whether it comes from the journal and the seat of the agent that holds the epoch: then that one
   * is gone, since the folder's lock lets one at a time have it.
   */
  private static boolean isSuccessor(HostRow row, Hello hello) {
    Optional<String> seat = row.holder().seat(row.grant().nonce());
    return hasJournalOf(row, hello)
        && (seat.isEmpty() || hello.seat() == null || seat.get().equals(hello.seat()));
  }

  private static boolean hasJournalOf(HostRow row, Hello hello) {
    return row.grant().journal().equals(hello.journal());
  }

  /** Whoever has its journal is the host, after a restart of the machine: a lease is enough. */
  private static long outage(HostRow row, Hello hello) {
    return hasJournalOf(row, hello) ? 0 : row.outageMs();
  }

  private static Refusal refusal(UnitOfWork unit, HostRow row, Hello hello, Silence silence) {
    String machine = row.holder().machine();
    String reason =
        "host name %s is used by another agent%s, journal %s, which keeps it while its lease lives; give this one a name of its own by stoker.agent.host, or if that one is gone for good: stoker drain %s --dead"
            .formatted(
                row.id(), machine == null ? "" : " on " + machine, row.grant().journal(), row.id());
    Holder.Rival before = row.holder().rival();
    boolean news =
        before == null
            || !before.journal().equals(hello.journal())
            || before.at() + RIVAL_AGAIN < unit.now();
    Holder.Rival rival = new Holder.Rival(hello.journal(), hello.machine(), unit.now(), reason);
    long wait = silence.leftMs(row.epoch(), outage(row, hello));
    return new Refusal(
        news ? Optional.of(row.with(row.holder().with(rival))) : Optional.empty(),
        reason,
        Math.clamp(wait, RETRY_AT_LEAST, RETRY_AT_MOST));
  }

  private static HostRow grant(
      UnitOfWork unit, Optional<HostRow> known, Hello hello, boolean signed, Silence silence) {
    List<Holder.Left> left =
        known
            .map(
                row -> LeftBehind.settle(unit, row, hello.held(), isSuccessor(row, hello), silence))
            .orElse(List.of());
    release(unit, hello.host(), hello.held());
    boolean challenged =
        hello.seat() != null || known.filter(row -> row.holder().challenged()).isPresent();
    return new HostRow(
        hello.host(),
        hello.fleet(),
        HostGrant.to(hello, known.map(HostRow::grant), unit.now()),
        hello.resources(),
        known.map(HostRow::settings).orElse(null),
        known.map(HostRow::duty).map(HostDuty::started).orElse(HostDuty.FULL),
        new Holder(
            hello.nonce(),
            hello.seat(),
            hello.machine(),
            challenged,
            left,
            known.map(row -> row.holder().rival()).orElse(null)),
        known
            .map(HostRow::restored)
            .map(restored -> granted(restored, known.get(), hello))
            .orElse(null),
        key(known, hello, signed, unit.now()));
  }

  private static HostKey key(Optional<HostRow> known, Hello hello, boolean signed, long now) {
    HostKey key = known.map(HostRow::key).orElse(HostKey.NONE).welcomed(signed);
    return key.signingOutput(signed && Boolean.TRUE.equals(hello.signsOutput()), now);
  }

  private static Restored granted(Restored restored, HostRow before, Hello hello) {
    return restored.granted(
        before.epoch(), isSuccessor(before, hello), hello.resources().outageMs());
  }

  /** Tells an agent which attempts of its journal are closed. */
  static void release(UnitOfWork unit, String host, List<HeldAttempt> held) {
    Set<Numbered> open =
        unit.attempts().all().stream()
            .filter(attempt -> attempt.host().equals(host))
            .map(Numbered::of)
            .collect(Collectors.toSet());
    for (HeldAttempt one : held) {
      if (!open.contains(new Numbered(one.job(), one.attempt()))) {
        unit.tell(
            host,
            one.running()
                ? new ToAgent.Cancel(one.job(), one.attempt(), "the attempt was closed")
                : new ToAgent.Forget(one.job(), one.attempt()));
      } else if (!one.running()) {
        unit.tell(host, new ToAgent.Report(one.job(), one.attempt()));
      }
    }
  }
}
