package io.stoker.dispatcher.dedup;

import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.JobPolicy;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.ledger.TimerRow;
import java.util.Optional;

/**
 * Binds a request whose dependencies' conditions all hold to the job that answers it: a succeeded
 * equal answers at once, a live one is shared, else a new job gets in line. Whether a device is
 * free plays no part.
 *
 * <p>The ledger must hold the jobs that have a role for the request's fingerprint, and the request.
 */
public final class Binding {
  private final Ids ids;
  private final Queues queues;

  public Binding(Ids ids, Queues queues) {
    this.ids = ids;
    this.queues = queues;
  }

  /** By which it is told what a request means. */
  public Queues queues() {
    return queues;
  }

  /**
   * Binds it.
   *
   * @param means from {@link Meaning#of}
   * @return the request's row as bound
   */
  public RequestRow bind(
      Ledger ledger, RequestRow row, JobRequest request, Optional<Meaning> means) {
    String newJob = ids.job(ledger.now());
    if (means.isEmpty()) {
      JobRow own = first(newJob, Fingerprint.ofJob(newJob), Role.HOLDER, row, request);
      return start(ledger, row, request, own);
    }
    String meaning = means.get().inForce(ledger);
    Optional<JobRow> holder = ledger.holder(meaning);
    if (holder.isEmpty()) {
      return start(ledger, row, request, first(newJob, meaning, Role.HOLDER, row, request));
    }
    JobRow job = holder.get();
    if (job.state() == JobState.SUCCEEDED) {
      return put(ledger, row.bound(job, true, true, ledger.now()));
    }
    if (!job.ending()) {
      return attach(ledger, row, request, job);
    }
    Optional<JobRow> successor = ledger.successor(meaning);
    return successor.isPresent()
        ? attach(ledger, row, request, successor.get())
        : start(ledger, row, request, first(newJob, meaning, Role.SUCCESSOR, row, request));
  }

  /** The job keeps the aging of its queue as it is now, since that says where it stands in line. */
  private JobRow first(String id, String meaning, Role role, RequestRow row, JobRequest request) {
    JobRow job = JobRow.first(id, meaning, role, row, request);
    JobPolicy policy = job.policy().aging(queues.of(job.queue()).aging().toMillis());
    return policy.equals(job.policy()) ? job : job.change().policy(policy).build();
  }

  /** Shares a live job, which takes on the highest priority and the most generous limits. */
  private static RequestRow attach(Ledger ledger, RequestRow row, JobRequest request, JobRow live) {
    boolean open = live.state() != JobState.QUEUED;
    JobRow raised =
        Needs.joined(live, Shape.of(request))
            .change()
            .priority(Math.max(live.priority(), request.priority()))
            .policy(
                open
                    ? live.policy().whileOpen(JobPolicy.of(request))
                    : live.policy().with(JobPolicy.of(request)))
            .build();
    if (!raised.equals(live)) {
      ledger.putJob(raised);
      boolean inLine = raised.state() == JobState.QUEUED && raised.role() == Role.HOLDER;
      boolean elsewhere =
          raised.priority() != live.priority() || !raised.shape().equals(live.shape());
      if (inLine && elsewhere) {
        ledger.makeReady(raised);
      }
    }
    startPatience(ledger, row, request);
    startTimeouts(ledger, row, request, live, raised);
    return put(ledger, row.bound(live, true, false, ledger.now()));
  }

  private static RequestRow start(Ledger ledger, RequestRow row, JobRequest request, JobRow job) {
    ledger.putJob(job);
    if (job.role() == Role.HOLDER) {
      ledger.makeReady(job);
    }
    startPatience(ledger, row, request);
    return put(ledger, row.bound(job, false, false, ledger.now()));
  }

  private static void startPatience(Ledger ledger, RequestRow row, JobRequest request) {
    request
        .queueTimeout()
        .map(patience -> ledger.now() + patience.toMillis())
        .map(dueAt -> new TimerRow(TimerRow.Kind.QUEUE_TIMEOUT, row.id(), dueAt))
        .ifPresent(ledger::startTimer);
  }

  /**
   * A shared job may run as long as the most patient wants: who wants it to run less is timed
   * apart. So is who started it, once another one has made the job's time-out longer; that timer
   * looks at once when its own time is over. A host that runs the job is told that it has more.
   */
  private static void startTimeouts(
      Ledger ledger, RequestRow row, JobRequest request, JobRow live, JobRow raised) {
    request.timeout().ifPresent(time -> startTimeout(ledger, row.id(), time.toMillis()));
    Long before = live.policy().timeoutMs();
    if (before != null && !before.equals(raised.policy().timeoutMs())) {
      startTimeout(ledger, live.firstRequest(), 0);
      LongerTimeout.tell(ledger, raised);
    }
  }

  private static void startTimeout(Ledger ledger, String request, long ms) {
    ledger.startTimer(new TimerRow(TimerRow.Kind.RUN_TIMEOUT, request, ledger.now() + ms));
  }

  private static RequestRow put(Ledger ledger, RequestRow bound) {
    ledger.requests().put(bound);
    return bound;
  }
}
