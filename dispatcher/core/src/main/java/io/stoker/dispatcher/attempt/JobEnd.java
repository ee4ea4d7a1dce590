package io.stoker.dispatcher.attempt;

import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.GroupBudget;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.StoredRequest;
import java.util.List;
import java.util.Optional;

/**
 * What follows when an attempt is over: the job ends, or goes back to the line.
 *
 * <p>The ledger must hold the job, its open attempt, the successor of its fingerprint, the limit of
 * retries of its group, and must know whether the job is shared and its first request depended on.
 */
public final class JobEnd {
  private JobEnd() {}

  /** The attempt succeeded. */
  public static void succeeded(Ledger ledger, JobRow job, String result) {
    succeeded(ledger, job, result, null);
  }

  /**
   * The attempt succeeded.
   *
   * @param warning what people should know of its result, null if nothing
   */
  public static void succeeded(Ledger ledger, JobRow job, String result, String warning) {
    if (job.policy().requiresResult() && result == null) {
      String reason = "ended without the result that the request requires";
      end(ledger, job, JobState.FAILED, Code.RESULT_MISSING, reason);
      return;
    }
    JobRow withResult = job.change().result(result).build();
    ledger.putJob(withResult);
    end(ledger, withResult, JobState.SUCCEEDED, null, warning);
  }

  /** The attempt was lost with its host: another one follows at once if any are left. */
  public static void lost(Ledger ledger, JobRow job, String host, String reason) {
    // Its devices are not at fault.
    Where where = new Where(host, List.of());
    failed(ledger, job, FailureCategory.HOST_LOST, where, reason, Backoff.NONE);
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
      Ledger ledger,
      JobRow job,
      FailureCategory category,
      Where where,
      String reason,
      Backoff backoff) {
    if (job.ending()) {
      cancelled(ledger, job);
      return;
    }
    boolean lost = category == FailureCategory.HOST_LOST;
    JobRow counted = job.change().failure(category, where.host(), where.devices()).build();
    ledger.putJob(counted);
    int failures = counted.failures().get(category);
    int attempts = job.policy().attempts(category);
    Optional<GroupBudget> budget = lost ? Optional.empty() : ledger.budgetOf(counted);
    if (failures < attempts && budget.filter(GroupBudget::usedUp).isPresent()) {
      String usedUp = reason + "; " + usedUp(budget.get());
      end(ledger, counted, JobState.FAILED, Code.of(category), usedUp);
    } else if (failures < attempts) {
      budget.ifPresent(limit -> ledger.budgets().put(limit.withOneUsed()));
      retry(ledger, counted, category, reason, backoff.waitMs(counted));
    } else {
      end(ledger, counted, JobState.FAILED, Code.of(category), reason);
    }
  }

  /** The attempt came to nothing through no fault of the job: it costs no retry. */
  public static void returned(Ledger ledger, JobRow job, String reason) {
    if (job.ending()) {
      cancelled(ledger, job);
    } else {
      requeue(ledger, job, reason);
    }
  }

  /** The attempt was ended for another job's sake: it counts for no failure. */
  public static void preempted(Ledger ledger, JobRow job, AttemptRow.Preempted by, String reason) {
    if (job.ending()) {
      cancelled(ledger, job);
    } else {
      long seq = by.behind() == null ? job.seq() : by.behind();
      requeue(ledger, job.change().preempted().build(), reason, seq);
    }
  }

  /** The job is over because that was asked for. */
  public static void cancelled(Ledger ledger, JobRow job) {
    String reason = ledger.openAttempt(job).map(AttemptRow::cancelReason).orElse(job.reason());
    Code code = job.code() == null ? Code.CANCELLED : job.code();
    // That is nobody's wish.
    JobState how = code == Code.TOO_LARGE ? JobState.FAILED : JobState.CANCELLED;
    end(ledger, job, how, code, reason);
  }

  private static String usedUp(GroupBudget budget) {
    return "no retry follows, since its group %s has used the %d that its jobs have together"
        .formatted(budget.group(), budget.retries());
  }

  private static void retry(
      Ledger ledger, JobRow job, FailureCategory category, String reason, long waitMs) {
    String follows = reason + "; attempt " + job.nextAttempt() + " follows";
    if (waitMs <= 0) {
      requeue(ledger, job, follows);
      return;
    }
    BackoffRow row = new BackoffRow(job.id(), ledger.now() + waitMs, category);
    String until = ", and waits " + RetryWait.sentence(row, job.attempt());
    requeue(ledger, job.change().retryAt(row.dueAt()).build(), follows + until);
    ledger.backOff(row);
  }

  private static void requeue(Ledger ledger, JobRow job, String reason) {
    requeue(ledger, job, reason, job.seq());
  }

  private static void requeue(Ledger ledger, JobRow job, String reason, long seq) {
    closeAttempt(ledger, job);
    JobRow queued = job.change().queued(reason).build();
    ledger.putJob(queued);
    ledger.makeReady(queued, seq);
    tellSharers(ledger, queued);
  }

  /** Ends a job for good, and lets the one that waited for it follow. */
  public static void end(Ledger ledger, JobRow job, JobState how, Code code, String reason) {
    closeAttempt(ledger, job);
    ledger.takeFromReady(job.id());
    if (job.retryAt() != null) {
      ledger.endBackoff(job.id());
    }
    JobRow ended = job.change().ended(how, code, reason, ledger.now()).build();
    ledger.putJob(ended);
    tellSharers(ledger, ended);
    if (ledger.hasDependents(ended.firstRequest())) {
      ledger.fanOut(FanOutRow.Kind.DEPENDENTS, ended.firstRequest());
    }
    if (job.role() == Role.HOLDER) {
      ledger.successor(job.fingerprint()).ifPresent(next -> follow(ledger, ended, next));
    }
  }

  private static void follow(Ledger ledger, JobRow ended, JobRow successor) {
    boolean succeeded = ended.state() == JobState.SUCCEEDED;
    if (succeeded && answers(ledger, ended, successor)) {
      JobRow answered = successor.change().answeredBy(ended).build();
      ledger.putJob(answered);
      end(ledger, answered, JobState.SUCCEEDED, null, null);
    } else {
      if (succeeded) {
        ledger.putJob(ended.change().role(Role.NONE).build());
      }
      JobRow promoted = successor.change().role(Role.HOLDER).queued(null).build();
      ledger.putJob(promoted);
      ledger.makeReady(promoted);
      tellSharers(ledger, promoted);
    }
  }

  /**
   * A replica of before resources were part of the meaning may have let it wait for another one.
   */
  private static boolean answers(Ledger ledger, JobRow ended, JobRow successor) {
    return ledger
        .requests()
        .find(successor.firstRequest())
        .filter(row -> !row.specLeftOut())
        .flatMap(StoredRequest::readable)
        .map(request -> Meaning.answers(ended, request))
        .orElse(true);
  }

  /** Owes every request of the job its new status. */
  public static void tellSharers(Ledger ledger, JobRow job) {
    ledger.publishDue(job.firstRequest());
    if (ledger.isShared(job.id())) {
      ledger.fanOut(FanOutRow.Kind.SHARERS, job.id());
    }
  }

  private static void closeAttempt(Ledger ledger, JobRow job) {
    ledger.openMembers(job).forEach(ledger::close);
  }
}
