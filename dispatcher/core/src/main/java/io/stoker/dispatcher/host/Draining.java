package io.stoker.dispatcher.host;

import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;

/**
 * Empties hosts. Until the deadline what runs may end; then it is told to, and goes back to the
 * line when its agent says that it is over: the attempt counts for no failure. What was told to end
 * before is left to that.
 *
 * <p>The unit of work must hold the host's open attempts and their jobs.
 */
public final class Draining {
  private Draining() {}

  /** Hosts whose deadline is set and on which there are attempts that were not told to end. */
  public static List<String> waiting(List<HostRow> hosts, List<AttemptRow> open) {
    return hosts.stream()
        .filter(row -> row.drain() != null && row.drain().deadline() != null)
        .map(HostRow::id)
        .filter(
            host ->
                open.stream()
                    .anyMatch(
                        attempt -> attempt.host().equals(host) && attempt.cancelReason() == null))
        .toList();
  }

  /** Moves what is on the host, if its deadline has passed. */
  public static HostRow move(UnitOfWork unit, HostRow host) {
    HostRow.Drain drain = host.drain();
    if (drain == null || drain.deadline() == null || unit.now() < drain.deadline()) {
      return host;
    }
    String why = host.reason() == null ? "" : ": " + host.reason();
    String reason = "moved, as host " + host.id() + " is drained" + why;
    for (AttemptRow attempt : unit.attempts().all()) {
      JobRow job = unit.jobs().get(attempt.job());
      if (attempt.host().equals(host.id()) && attempt.cancelReason() == null && !job.ending()) {
        unit.attempts().put(attempt.cancelled(reason));
        unit.tell(host.id(), new ToAgent.Cancel(job.id(), attempt.number(), reason));
      }
    }
    return host;
  }
}
