package io.stoker.dispatcher.lease;

import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemberEnd;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Grants an epoch to each start of an agent, once a nonce, and settles what its journal holds
 * against what is open on its host.
 *
 * <p>The ledger must hold the host's open attempts, their jobs, and what {@link JobEnd} needs.
 */
public final class Registration {
  private Registration() {}

  /** What an agent calls an attempt: it never holds two members of one. */
  private record Numbered(String job, int attempt) {
    static Numbered of(AttemptRow row) {
      return new Numbered(row.job(), row.number());
    }
  }

  /** The host's row after a hello; the same nonce again leaves it as it is. */
  public static HostRow register(Ledger ledger, Optional<HostRow> known, Hello hello) {
    if (known.isPresent() && known.get().nonce().equals(hello.nonce())) {
      return known.get();
    }
    HostRow row =
        new HostRow(
            hello.host(),
            hello.fleet(),
            known.map(HostRow::epoch).orElse(0L) + 1,
            hello.nonce(),
            hello.journal(),
            hello.version(),
            HostRow.State.UP,
            known.map(HostRow::cordoned).orElse(false),
            known.filter(HostRow::cordoned).map(HostRow::reason).orElse(null),
            hello.resources(),
            ledger.now(),
            known.map(HostRow::settings).orElse(null),
            known.map(HostRow::drain).map(HostRow.Drain::alive).orElse(null),
            known.map(HostRow::losses).orElse(List.of()));
    settle(ledger, hello.host(), hello.held());
    return row;
  }

  /**
   * Closes what the agent had accepted and does not hold any more, and tells it to end what is
   * closed. An unaccepted attempt stays: it is published again, now for the new epoch.
   */
  private static void settle(Ledger ledger, String host, List<HeldAttempt> held) {
    Set<Numbered> inJournal =
        held.stream()
            .map(one -> new Numbered(one.job(), one.attempt()))
            .collect(Collectors.toSet());
    for (AttemptRow attempt : ledger.attempts().all()) {
      if (attempt.host().equals(host)
          && attempt.accepted()
          && !inJournal.contains(Numbered.of(attempt))) {
        JobRow job = ledger.jobs().get(attempt.job());
        String reason = "host " + host + " lost its journal";
        MemberEnd end = MemberEnd.failed(FailureCategory.HOST_LOST, reason);
        AttemptEnd.over(ledger, attempt, job, end, Backoff.NONE);
      }
    }
    release(ledger, host, held);
  }

  /** Tells an agent which attempts of its journal are closed. */
  static void release(Ledger ledger, String host, List<HeldAttempt> held) {
    Set<Numbered> open =
        ledger.attempts().all().stream()
            .filter(attempt -> attempt.host().equals(host))
            .map(Numbered::of)
            .collect(Collectors.toSet());
    for (HeldAttempt one : held) {
      if (!open.contains(new Numbered(one.job(), one.attempt()))) {
        ledger.tell(
            host,
            one.running()
                ? new ToAgent.Cancel(one.job(), one.attempt(), "the attempt was closed")
                : new ToAgent.Forget(one.job(), one.attempt()));
      } else if (!one.running()) {
        ledger.tell(host, new ToAgent.Report(one.job(), one.attempt()));
      }
    }
  }
}
