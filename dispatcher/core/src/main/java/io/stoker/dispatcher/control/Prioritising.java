package io.stoker.dispatcher.control;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.StoredRequest;

/**
 * Changes the priority of a request that has not ended. Its job has the highest of all its
 * requests', so one that shares may raise it, and lower it no further than the others allow. While
 * the job runs this counts for a retry alone.
 *
 * <p>The ledger must hold the request, its job, and all requests of that job which have not ended
 * by themselves.
 */
public final class Prioritising {
  private Prioritising() {}

  /**
   * Changes it.
   *
   * @return false if the request is not known, or has ended
   */
  public static boolean change(Ledger ledger, String request, int priority) {
    RequestRow row = ledger.requests().find(request).orElse(null);
    if (row == null || row.isPlaceholder() || ledger.stateOf(request).terminal()) {
      return false;
    }
    ledger.requests().put(StoredRequest.withPriority(row, priority));
    if (row.job() != null) {
      raise(ledger, ledger.jobs().get(row.job()));
    }
    return true;
  }

  private static void raise(Ledger ledger, JobRow job) {
    int highest =
        ledger.requests().all().stream()
            .filter(row -> job.id().equals(row.job()) && row.ended() == null)
            .mapToInt(row -> StoredRequest.parse(row).priority())
            .max()
            .orElse(job.priority());
    if (highest == job.priority()) {
      return;
    }
    JobRow changed = job.change().priority(highest).build();
    ledger.putJob(changed);
    if (changed.state() == JobState.QUEUED && changed.role() == Role.HOLDER) {
      ledger.makeReady(changed);
    }
    if (changed.ahead()) {
      // It gets in line anew, by its priority now; should this be lost it starts soon anyway.
      ledger
          .openAttempt(changed)
          .ifPresent(one -> ledger.tell(one.host(), new ToAgent.CallBack(one.job(), one.number())));
    }
  }
}
