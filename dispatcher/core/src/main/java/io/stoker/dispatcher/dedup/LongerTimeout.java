package io.stoker.dispatcher.dedup;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Gang;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.List;

/** Tells of a time-out that has become longer since the job's open attempt was placed. */
public final class LongerTimeout {
  private LongerTimeout() {}

  /** Tells the host, or all hosts of a gang, that the open attempt may run longer; if it may. */
  public static void tell(Ledger ledger, JobRow job) {
    boolean open = job.state() == JobState.PLACED || job.state() == JobState.RUNNING;
    if (!open || job.policy().givenMs() == null) {
      return;
    }
    List<String> hosts =
        job.gang() == null
            ? job.host() == null
                ? ledger.openAttempt(job).map(AttemptRow::host).stream().toList()
                : List.of(job.host())
            : job.gang().members().stream().map(Gang.Member::host).distinct().toList();
    for (String host : hosts) {
      // An agent of an earlier version knows this message alone, and refuses a record without one.
      ledger.tell(host, new ToAgent.Report(job.id(), job.attempt()));
      ledger.tell(host, new ToAgent.SetTimeout(job.id(), job.attempt(), job.policy().timeoutMs()));
    }
  }
}
