package io.stoker.dispatcher.dedup;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;

/** Tells of a time-out that has become longer since the job's open attempt was placed. */
public final class LongerTimeout {
  private LongerTimeout() {}

  /** Tells the host, or all hosts of a gang, that the open attempt may run longer; if it may. */
  public static void tell(UnitOfWork unit, JobRow job) {
    boolean open = job.state() == JobState.PLACED || job.state() == JobState.RUNNING;
    if (!open || job.asked().policy().givenMs() == null) {
      return;
    }
    List<String> hosts =
        job.latest().gang() == null
            ? job.latest().host() == null
                ? unit.openAttempt(job).map(AttemptRow::host).stream().toList()
                : List.of(job.latest().host())
            : job.latest().gang().members().stream().map(Gang.Member::host).distinct().toList();
    for (String host : hosts) {
      // An agent of an earlier version knows this message alone, and refuses a record without one.
      unit.tell(host, new ToAgent.Report(job.id(), job.latest().number()));
      unit.tell(
          host,
          new ToAgent.SetTimeout(
              job.id(), job.latest().number(), job.asked().policy().timeoutMs()));
    }
  }
}
