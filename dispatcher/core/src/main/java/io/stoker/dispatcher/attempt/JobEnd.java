package io.stoker.dispatcher.attempt;

import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.JobPolicy;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;
import java.util.Optional;

/**
 * Decides what follows when an attempt is over: the job ends, or it is queued again.
 *
 * <p>The unit of work must hold the job, its open attempt, the successor of its fingerprint, the
 * limit of retries of its group, and must know whether the job is shared and its first request
 * depended on.
 */
public final class JobEnd {
  private JobEnd() {}

  /**
   * The attempt succeeded.
   *
   * @param warning what people should know of its result, null if nothing
   */
  public static void succeeded(UnitOfWork unit, JobRow job, String result, String warning) {
    if (job.asked().policy().requiresResult() && result == null) {
      String reason = "ended without the result that the request requires";
      end(unit, job, JobState.FAILED, Code.RESULT_MISSING, reason);
      return;
    }
    JobRow withResult = job.change().result(result).build();
    unit.putJob(withResult);
    end(unit, withResult, JobState.SUCCEEDED, null, warning);
  }

  /** The attempt was lost with its host: another one follows at once if any are left. */
  public static void lost(UnitOfWork unit, JobRow job, String host, String reason) {
    // Its devices are not at fault.
    Where where = new Where(host, List.of());
    failed(unit, job, FailureCategory.HOST_LOST, where, reason, Backoff.NONE);
  }

  /** Where an attempt failed. */
  public record Where(String host, List<String> devices) {}

  /**
   * The attempt failed: another one follows if the category has attempts left. It avoids the host
   * and the devices where that was. Where the job's group has a limit of retries, it costs one.
   *
   * @param backoff how long that one waits
   */
  public static void failed(
      UnitOfWork unit,
      JobRow job,
      FailureCategory category,
      Where where,
      String reason,
      Backoff backoff) {
    if (job.ending()) {
      cancelled(unit, job);
      return;
    }
    boolean lost = category == FailureCategory.HOST_LOST;
    JobRow counted = job.change().failure(category, where.host(), where.devices()).build();
    unit.putJob(counted);
    int failures = counted.setbacks().failures().get(category);
    int attempts = job.asked().policy().attempts(category);
    Optional<GroupBudget> budget = lost ? Optional.empty() : unit.budgetOf(counted);
    if (failures < attempts && budget.filter(GroupBudget::usedUp).isPresent()) {
      String usedUp = reason + "; " + usedUp(budget.get());
      end(unit, counted, JobState.FAILED, Code.of(category), usedUp);
    } else if (failures < attempts) {
      budget.ifPresent(limit -> unit.budgets().put(limit.withOneUsed()));
      retry(unit, counted, category, reason, backoff.waitMs(counted));
    } else {
      end(unit, counted, JobState.FAILED, Code.of(category), reason);
    }
  }

  /** The attempt came to nothing through no fault of the job: it costs no retry. */
  public static void returned(UnitOfWork unit, JobRow job, String reason) {
    if (job.ending()) {
      cancelled(unit, job);
    } else {
      requeue(unit, job, reason);
    }
  }

  /** The attempt was ended for another job's sake: it counts for no failure. */
  public static void preempted(
      UnitOfWork unit, JobRow job, AttemptRow.Preempted by, String reason) {
    if (job.ending()) {
      cancelled(unit, job);
    } else {
      long seq = by.behind() == null ? job.asked().seq() : by.behind();
      requeue(unit, job.change().preempted().build(), reason, seq);
    }
  }

  /** The job is over because that was asked for. */
  public static void cancelled(UnitOfWork unit, JobRow job) {
    String reason = unit.openAttempt(job).map(AttemptRow::cancelReason).orElse(job.reason());
    Code code = job.code() == null ? Code.CANCELLED : job.code();
    JobState how = Unsendable.CODES.contains(code) ? JobState.FAILED : JobState.CANCELLED;
    end(unit, job, how, code, reason);
  }

  private static String usedUp(GroupBudget budget) {
    return "no retry follows, since its group %s has used the %d that its jobs have together"
        .formatted(budget.group(), budget.retries());
  }

  private static void retry(
      UnitOfWork unit, JobRow job, FailureCategory category, String reason, long waitMs) {
    String follows = reason + "; attempt " + job.nextAttempt() + " follows";
    if (waitMs <= 0) {
      requeue(unit, job, follows);
      return;
    }
    BackoffRow row = new BackoffRow(job.id(), unit.now() + waitMs, category);
    String until = ", and waits " + RetryWait.sentence(row, job.latest().number());
    requeue(unit, job.change().retryAt(row.dueAt()).build(), follows + until);
    unit.backOff(row);
  }

  private static void requeue(UnitOfWork unit, JobRow job, String reason) {
    requeue(unit, job, reason, job.asked().seq());
  }

  private static void requeue(UnitOfWork unit, JobRow job, String reason, long seq) {
    closeAttempt(unit, job);
    JobPolicy policy =
        job.latest().startedAt() == null
            ? job.asked().policy()
            : job.asked().policy().inLineAgain(unit.now());
    JobRow queued = job.change().policy(policy).queued(reason).build();
    unit.putJob(queued);
    unit.makeReady(queued, seq);
    tellSharers(unit, queued);
  }

  /** Ends a job for good, and lets the one that waited for it follow. */
  public static void end(UnitOfWork unit, JobRow job, JobState how, Code code, String reason) {
    closeAttempt(unit, job);
    unit.takeFromReady(job.id());
    if (job.retryAt() != null) {
      unit.endBackoff(job.id());
    }
    if (job.asked().policy().inLineSince() != null) {
      // Of sharers that are not at hand it runs out by itself.
      unit.stopTimer(TimerRow.Kind.QUEUE_TIMEOUT, job.asked().firstRequest());
    }
    JobRow ended = job.change().ended(how, code, reason, unit.now()).build();
    unit.putJob(ended);
    tellSharers(unit, ended);
    if (unit.hasDependents(ended.asked().firstRequest())) {
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, ended.asked().firstRequest());
    }
    if (job.role() == Role.HOLDER) {
      unit.successor(job.fingerprint()).ifPresent(next -> follow(unit, ended, next));
    }
  }

  private static void follow(UnitOfWork unit, JobRow ended, JobRow successor) {
    boolean succeeded = ended.state() == JobState.SUCCEEDED;
    if (succeeded && answers(unit, ended, successor)) {
      JobRow answered = successor.change().answeredBy(ended).build();
      unit.putJob(answered);
      end(unit, answered, JobState.SUCCEEDED, null, null);
    } else {
      if (succeeded) {
        unit.putJob(ended.change().role(Role.NONE).build());
      }
      JobRow promoted = successor.change().role(Role.HOLDER).queued(null).build();
      unit.putJob(promoted);
      unit.makeReady(promoted);
      tellSharers(unit, promoted);
    }
  }

  /**
   * A replica of before resources were part of the meaning may have let it wait for another one.
   */
  private static boolean answers(UnitOfWork unit, JobRow ended, JobRow successor) {
    return unit.requests()
        .find(successor.asked().firstRequest())
        .filter(row -> !row.specLeftOut())
        .flatMap(StoredRequest::readable)
        .map(request -> Meaning.answers(ended, request))
        .orElse(true);
  }

  /** Owes every request of the job its new status. */
  public static void tellSharers(UnitOfWork unit, JobRow job) {
    unit.publishDue(job.asked().firstRequest());
    if (unit.isShared(job.id())) {
      unit.fanOut(FanOutRow.Kind.SHARERS, job.id());
    }
  }

  private static void closeAttempt(UnitOfWork unit, JobRow job) {
    unit.openMembers(job).forEach(unit::close);
  }
}
