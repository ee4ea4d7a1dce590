package io.stoker.dispatcher.control;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;

/**
 * Changes the priority of a request that has not ended. Its job has the highest of all its
 * requests', so one that shares may raise it, and lower it no further than the others allow. While
 * the job runs this counts for a retry alone.
 *
 * <p>The unit of work must hold the request, its job, and all requests of that job which have not
 * ended by themselves.
 */
public final class Prioritising {
  private Prioritising() {}

  /** Changes it. False if the request is not known, or has ended. */
  public static boolean change(UnitOfWork unit, String request, int priority) {
    RequestRow row = unit.requests().find(request).orElse(null);
    if (row == null || row.isPlaceholder() || unit.stateOf(request).terminal()) {
      return false;
    }
    unit.requests().put(StoredRequest.withPriority(row, priority));
    if (row.job() != null) {
      raise(unit, unit.jobs().get(row.job()));
    }
    return true;
  }

  private static void raise(UnitOfWork unit, JobRow job) {
    int highest =
        unit.requests().all().stream()
            .filter(row -> job.id().equals(row.job()) && row.ended() == null)
            .mapToInt(row -> StoredRequest.parse(row).priority())
            .max()
            .orElse(job.asked().priority());
    if (highest == job.asked().priority()) {
      return;
    }
    JobRow changed = job.change().priority(highest).build();
    unit.putJob(changed);
    if (changed.state() == JobState.QUEUED && changed.role() == Role.HOLDER) {
      unit.makeReady(changed);
    }
    if (changed.ahead()) {
      // It gets in line anew, by its priority now; should this be lost it starts soon anyway.
      unit.openAttempt(changed)
          .ifPresent(one -> unit.tell(one.host(), new ToAgent.CallBack(one.job(), one.number())));
    }
  }
}
