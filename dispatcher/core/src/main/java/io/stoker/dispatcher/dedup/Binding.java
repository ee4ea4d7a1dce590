package io.stoker.dispatcher.dedup;

import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.Ids;
import io.stoker.dispatcher.model.InputRow;
import io.stoker.dispatcher.model.JobPolicy;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;

/**
 * Binds a request whose dependencies' conditions all hold to the job that answers it: a succeeded
 * equal answers at once, a live one is shared, else a new job gets in line. Whether a device is
 * free plays no part.
 *
 * <p>The unit of work must hold the jobs that have a role for the request's fingerprint, and the
 * request.
 *
 * @param queues by which it is told what a request means
 */
public record Binding(Ids ids, Queues queues) {
  /**
   * Binds it.
   *
   * @param means from {@link Meaning#of}
   * @return the request's row as bound
   */
  public RequestRow bind(
      UnitOfWork unit, RequestRow row, JobRequest request, Optional<Meaning> means) {
    String newJob = ids.job(unit.now());
    if (means.isEmpty()) {
      JobRow own = first(newJob, Fingerprint.ofJob(newJob), Role.HOLDER, row, request);
      return start(unit, row, request, own);
    }
    String meaning = means.get().inForce(unit);
    Optional<JobRow> holder = unit.holder(meaning);
    if (holder.isEmpty()) {
      return start(unit, row, request, first(newJob, meaning, Role.HOLDER, row, request));
    }
    JobRow job = holder.get();
    if (job.state() == JobState.SUCCEEDED) {
      return put(unit, row.bound(job, true, true, unit.now()));
    }
    if (!job.ending()) {
      return attach(unit, row, request, job);
    }
    Optional<JobRow> successor = unit.successor(meaning);
    return successor.isPresent()
        ? attach(unit, row, request, successor.get())
        : start(unit, row, request, first(newJob, meaning, Role.SUCCESSOR, row, request));
  }

  /** The job keeps the aging of its queue as it is now, since that says where it stands in line. */
  private JobRow first(String id, String meaning, Role role, RequestRow row, JobRequest request) {
    JobRow job = JobRow.first(id, meaning, role, row, request);
    JobPolicy policy =
        job.asked().policy().aging(queues.of(job.asked().queue()).aging().toMillis());
    return policy.equals(job.asked().policy()) ? job : job.change().policy(policy).build();
  }

  /** Shares a live job, which takes on the highest priority and the most generous limits. */
  private static RequestRow attach(
      UnitOfWork unit, RequestRow row, JobRequest request, JobRow live) {
    boolean open = live.state() != JobState.QUEUED;
    JobRow raised =
        Needs.joined(live, Shape.of(request))
            .change()
            .priority(Math.max(live.asked().priority(), request.priority()))
            .policy(
                open
                    ? live.asked().policy().whileOpen(JobPolicy.of(request))
                    : live.asked().policy().with(JobPolicy.of(request)))
            .build();
    if (!raised.equals(live)) {
      unit.putJob(raised);
      boolean inLine = raised.state() == JobState.QUEUED && raised.role() == Role.HOLDER;
      boolean elsewhere =
          raised.asked().priority() != live.asked().priority()
              || !raised.asked().shape().equals(live.asked().shape());
      if (inLine && elsewhere) {
        unit.makeReady(raised);
      }
    }
    startPatience(unit, row, request);
    startTimeouts(unit, row, request, live, raised);
    return put(unit, row.bound(live, true, false, unit.now()));
  }

  private static RequestRow start(UnitOfWork unit, RequestRow row, JobRequest request, JobRow job) {
    unit.putJob(job);
    request.dependsOn().forEach(id -> unit.needs(new InputRow(id, job.id())));
    if (job.role() == Role.HOLDER) {
      unit.makeReady(job);
    }
    startPatience(unit, row, request);
    return put(unit, row.bound(job, false, false, unit.now()));
  }

  private static void startPatience(UnitOfWork unit, RequestRow row, JobRequest request) {
    request
        .queueTimeout()
        .map(patience -> unit.now() + patience.toMillis())
        .map(dueAt -> new TimerRow(TimerRow.Kind.QUEUE_TIMEOUT, row.id(), dueAt))
        .ifPresent(unit::startTimer);
  }

  /**
   * A shared job may run as long as the most patient wants: who wants it to run less is timed
   * apart. So is who started it, once another one has made the job's time-out longer; that timer
   * looks at once when its own time is over. A host that runs the job is told that it has more.
   */
  private static void startTimeouts(
      UnitOfWork unit, RequestRow row, JobRequest request, JobRow live, JobRow raised) {
    request.timeout().ifPresent(time -> startTimeout(unit, row.id(), time.toMillis()));
    Long before = live.asked().policy().timeoutMs();
    if (before != null && !before.equals(raised.asked().policy().timeoutMs())) {
      startTimeout(unit, live.asked().firstRequest(), 0);
      LongerTimeout.tell(unit, raised);
    }
  }

  private static void startTimeout(UnitOfWork unit, String request, long ms) {
    unit.startTimer(new TimerRow(TimerRow.Kind.RUN_TIMEOUT, request, unit.now() + ms));
  }

  private static RequestRow put(UnitOfWork unit, RequestRow bound) {
    unit.requests().put(bound);
    return bound;
  }
}
