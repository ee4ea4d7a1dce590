package io.stoker.dispatcher.timer;

import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;

/** Puts failed jobs in line whose wait is over. The unit of work must hold those jobs. */
public final class RetriesDue {
  private RetriesDue() {}

  /**
   * Applies waits that are over; each is done with by it.
   *
   * @param due as read before the jobs were locked: what became of a job since then counts
   */
  public static void apply(UnitOfWork unit, List<BackoffRow> due) {
    for (BackoffRow row : due) {
      JobRow job = unit.jobs().find(row.job()).orElse(null);
      boolean waits = job != null && job.state() == JobState.QUEUED && job.retryAt() != null;
      if (waits && job.retryAt() != row.dueAt() && job.retryAt() > unit.now()) {
        continue; // It has failed again meanwhile, and waits for another time.
      }
      unit.endBackoff(row.job());
      if (waits) {
        JobRow ready = job.change().retryAt(null).build();
        unit.putJob(ready);
        unit.makeReady(ready);
      }
    }
  }
}
