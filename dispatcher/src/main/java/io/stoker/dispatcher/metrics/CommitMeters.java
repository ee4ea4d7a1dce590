package io.stoker.dispatcher.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.config.Wakes.Committed;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.status.StatusListener;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Locale;

/**
 * Counts what transactions did and what was published. A commit whose reply was lost is not counted
 * by the run that finds it done.
 */
@ApplicationScoped
public class CommitMeters implements StatusListener {
  private final MeterRegistry meters;

  CommitMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void count(@Observes Committed committed) {
    Ledger ledger = committed.ledger();
    ledger.requests().inserted().forEach(row -> arrived(null, row));
    ledger
        .requests()
        .updated()
        .forEach(row -> arrived(ledger.requests().before(row.id()).orElse(null), row));
    for (AttemptRow placed : ledger.attempts().inserted()) {
      meters.counter("stoker.attempts.placed", "host", placed.host()).increment();
    }
    ledger
        .attempts()
        .removed()
        .forEach(
            key ->
                ledger
                    .jobs()
                    .find(key.job())
                    .map(job -> job.state().name())
                    .ifPresent(this::ended));
  }

  @Override
  public void published(List<RequestStatus> statuses) {
    meters.counter("stoker.statuses.published").increment(statuses.size());
    long rejected =
        statuses.stream().filter(status -> status.state() == RequestState.REJECTED).count();
    if (rejected > 0) {
      requests("rejected", rejected);
    }
  }

  /** A request counts when it comes in, and once more when it is found to equal another. */
  private void arrived(RequestRow before, RequestRow now) {
    if (!now.isPlaceholder() && (before == null || before.isPlaceholder())) {
      requests("accepted", 1);
    }
    boolean boundNow = now.job() != null && (before == null || before.job() == null);
    if (boundNow && now.cached()) {
      requests("cached", 1);
    } else if (boundNow && now.attached()) {
      requests("shared", 1);
    }
  }

  private void requests(String what, long times) {
    meters.counter("stoker.requests", "outcome", what).increment(times);
  }

  /** An attempt whose job is in line again came to nothing, or failed with retries left. */
  private void ended(String jobState) {
    String outcome = jobState.equals("QUEUED") ? "requeued" : jobState.toLowerCase(Locale.ROOT);
    meters.counter("stoker.attempts.ended", "outcome", outcome).increment();
  }
}
