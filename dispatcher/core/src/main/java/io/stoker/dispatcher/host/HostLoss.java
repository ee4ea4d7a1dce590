package io.stoker.dispatcher.host;

import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.PastAttempt.How;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.function.Predicate;

/**
 * Closes everything on a host whose lease ran out: by then its watchdog has killed what it ran.
 * What earlier agents have left behind waits for their leases.
 *
 * <p>The unit of work must hold the host's open attempts, their jobs, and what {@link JobEnd}
 * needs.
 */
public final class HostLoss {
  private HostLoss() {}

  /**
   * Closes its attempts.
   *
   * @param costsRetry false where so many hosts went silent at once that the fault is not theirs
   */
  public static HostRow lose(UnitOfWork unit, HostRow host, boolean costsRetry) {
    String reason = "host " + host.id() + " was lost: no heartbeat within its lease";
    // Of one that was not heard of since the database was restored nobody knows when that was.
    boolean atFault = costsRetry && !host.unsettled();
    close(unit, host, attempt -> !host.left(attempt), atFault, reason);
    HostRow lost = atFault ? host.lost(reason, unit.now()) : host.lost(reason);
    return lost.settled();
  }

  /**
   * Closes its attempts on the word of people that nothing runs there any more. Its agent loses its
   * epoch, should it come back: it is told to end what it still runs.
   */
  public static HostRow bury(UnitOfWork unit, HostRow host) {
    String why = host.reason() == null ? "" : ": " + host.reason();
    String reason = "host " + host.id() + " was declared dead" + why;
    close(unit, host, attempt -> true, false, reason);
    return host.dead(reason);
  }

  private static void close(
      UnitOfWork unit,
      HostRow host,
      Predicate<AttemptRow> which,
      boolean costsRetry,
      String reason) {
    for (AttemptRow attempt : unit.attempts().all()) {
      if (attempt.host().equals(host.id()) && which.test(attempt)) {
        JobRow job = unit.jobs().get(attempt.job());
        MemberEnd end =
            attempt.accepted() && costsRetry
                ? MemberEnd.failed(FailureCategory.HOST_LOST, reason)
                : MemberEnd.returned(reason);
        AttemptEnd.over(unit, attempt, job, end, How.LOST);
      }
    }
  }
}
