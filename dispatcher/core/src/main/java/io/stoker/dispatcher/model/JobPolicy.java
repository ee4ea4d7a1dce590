package io.stoker.dispatcher.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.FailureCategory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Limits of a job: the most generous of all its sharers. Its text is in each job's row: it says
 * what differs from the usual, but for {@code attempts}, which builds before need.
 *
 * @param attempts total attempts by category, where they differ from the default
 * @param timeoutMs longest run of an attempt, null for no limit
 * @param requiresResult whether success needs a result
 * @param numbers how many a result has to have, the score and one for each label; null if that is
 *     not said
 * @param preemptible whether its room may be given to others, which all sharers must allow
 * @param agingMs how much waiting makes up for a step of priority in the queue that it got in, null
 *     for {@link ReadyRow#AGING_MS}
 * @param givenMs longest run that its open attempt was placed with, where that has become longer
 *     since: its agent may not know of that; else null
 * @param numbersGiven numbers of attempts up to this may have been given although the job knows of
 *     none of them, since its database was restored; null if that is not so
 * @param inLineSince when it got in line again after it had run, ms since 1970, 0 if it has not;
 *     null where no sharer has a time-out of waiting
 */
public record JobPolicy(
    Map<FailureCategory, Integer> attempts,
    Long timeoutMs,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean requiresResult,
    Integer numbers,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean preemptible,
    Long agingMs,
    Long givenMs,
    Integer numbersGiven,
    Long inLineSince) {
  /** Of a job whose open attempt, if it has one, was placed with all that it may take. */
  public JobPolicy(
      Map<FailureCategory, Integer> attempts,
      Long timeoutMs,
      boolean requiresResult,
      Integer numbers,
      boolean preemptible,
      Long agingMs) {
    this(attempts, timeoutMs, requiresResult, numbers, preemptible, agingMs, null, null, null);
  }

  public static JobPolicy of(JobRequest request) {
    Map<FailureCategory, Integer> attempts = new EnumMap<>(FailureCategory.class);
    request.retries().forEach((category, retries) -> attempts.put(category, retries + 1));
    return new JobPolicy(
        attempts,
        request.timeout().map(Duration::toMillis).orElse(null),
        request.requiresResult(),
        request.resultLabels().isEmpty() ? null : request.resultLabels().size() + 1,
        request.preemptible(),
        null,
        null,
        null,
        request.queueTimeout().isPresent() ? 0L : null);
  }

  /** In a queue in which so much waiting makes up for a step of priority. */
  public JobPolicy aging(long ms) {
    return with(ms == ReadyRow.AGING_MS ? null : ms, givenMs, inLineSince);
  }

  /** How much waiting makes up for a step of priority. */
  public long aging() {
    return agingMs == null ? ReadyRow.AGING_MS : agingMs;
  }

  /** Attempts in total that failures of the category may use. */
  public int attempts(FailureCategory category) {
    return attempts.getOrDefault(category, category.defaultAttempts());
  }

  /** With a sharer's: the longest time-out and the most retries. */
  public JobPolicy with(JobPolicy sharer) {
    Map<FailureCategory, Integer> most = new EnumMap<>(FailureCategory.class);
    for (FailureCategory category : FailureCategory.values()) {
      int attempts = Math.max(attempts(category), sharer.attempts(category));
      if (attempts != category.defaultAttempts()) {
        most.put(category, attempts);
      }
    }
    Long longest =
        timeoutMs == null || sharer.timeoutMs == null
            ? null
            : Long.valueOf(Math.max(timeoutMs, sharer.timeoutMs));
    boolean both = preemptible && sharer.preemptible;
    Long since = inLineSince == null ? sharer.inLineSince : inLineSince;
    return new JobPolicy(
        most, longest, requiresResult, numbers, both, agingMs, givenMs, numbersGiven, since);
  }

  /**
   * With a sharer's that comes while an attempt is open: what that was given is remembered where it
   * is less than it should be.
   */
  public JobPolicy whileOpen(JobPolicy sharer) {
    JobPolicy both = with(sharer);
    boolean longer = timeoutMs != null && !timeoutMs.equals(both.timeoutMs);
    return longer && givenMs == null ? both.given(timeoutMs) : both;
  }

  /** Once no attempt is open that was given less. */
  public JobPolicy afterAttempt() {
    return givenMs == null ? this : given(null);
  }

  /** Once it waits again after it had run. */
  public JobPolicy inLineAgain(long now) {
    return inLineSince == null ? this : with(agingMs, givenMs, now);
  }

  private JobPolicy given(Long ms) {
    return with(agingMs, ms, inLineSince);
  }

  private JobPolicy with(Long aging, Long given, Long since) {
    return new JobPolicy(
        attempts,
        timeoutMs,
        requiresResult,
        numbers,
        preemptible,
        aging,
        given,
        numbersGiven,
        since);
  }
}
