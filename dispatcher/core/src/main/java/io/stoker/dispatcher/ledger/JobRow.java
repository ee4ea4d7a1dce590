package io.stoker.dispatcher.ledger;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.MemoryKeys.Of;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as the database holds it: one execution of a meaning, through all of its attempts.
 *
 * @param role whether equal requests are answered with it
 * @param ending whether it was told to end and is not over yet
 * @param changes rises with every change that its requests show
 * @param attempt number of the newest attempt, 0 before the first; only rises
 * @param firstRequest the request that started it
 * @param priority the highest of all sharers
 * @param seq arrival of the first request
 * @param shape canonical JSON of its resources
 * @param profile what it is like: jobs of one profile are expected to take as much memory; null
 *     where workers of a pool run it
 * @param policy retries and limits
 * @param usage what the last attempt took that ended, null if it is not known
 * @param failures failed attempts by category
 * @param avoid where it failed
 * @param retryAt when it gets in line, ms since 1970, where it waits after a failure; else null
 * @param startedAt when its current or last attempt began to run, ms since 1970; null if none has
 * @param endedAt ms since 1970, null while live
 * @param preemptions how often it made room for others
 * @param gang the hosts of its newest attempt, where it has several at once; else null
 * @param answeredBy whose work its result is, where it was answered by an equal job that it had
 *     waited for; else null
 * @param resultLeftOut whether it has a result that was too large to be read with it; {@code
 *     result} is null then
 */
public record JobRow(
    String id,
    String fingerprint,
    Role role,
    JobState state,
    boolean ending,
    long changes,
    int attempt,
    String firstRequest,
    String queue,
    int priority,
    long seq,
    String shape,
    String profile,
    JobPolicy policy,
    String host,
    List<String> devices,
    Integer exitCode,
    Code code,
    String reason,
    String progress,
    String result,
    Usage usage,
    Map<FailureCategory, Integer> failures,
    Avoid avoid,
    Long retryAt,
    Long startedAt,
    Long endedAt,
    int preemptions,
    Gang gang,
    AnsweredBy answeredBy,
    boolean resultLeftOut) {

  /** What a job is to its fingerprint. */
  public enum Role {
    NONE,
    /** Live or succeeded: equals share it. At most one a fingerprint. */
    HOLDER,
    /** Waits for the holder to end. At most one a fingerprint. */
    SUCCESSOR
  }

  /** A job that a request starts. */
  public static JobRow first(
      String id, String fingerprint, Role role, RequestRow row, JobRequest request) {
    return new JobBuilder(id, fingerprint, role, row, request).build();
  }

  public boolean live() {
    return !state.terminal();
  }

  /**
   * Whether its host holds it behind CPU slots, as far as is known: people see it as in line, and
   * no host of it, until it runs.
   */
  public boolean ahead() {
    return state == JobState.PLACED && host == null;
  }

  /** How its requests show it. */
  public RequestState shown() {
    return ahead() ? RequestState.QUEUED : state.shown();
  }

  /** The number of its next attempt: no attempt of the job ever had it. */
  public int nextAttempt() {
    return 1 + (policy.numbersGiven() == null ? attempt : Math.max(attempt, policy.numbersGiven()));
  }

  /** Under what its peaks of GPU memory are remembered. */
  public MemoryKeys memoryKeys() {
    return new MemoryKeys(fingerprint, profile);
  }

  /** Under what its peaks of host memory are remembered; nothing where that is not known. */
  public Optional<MemoryKeys> hostMemoryKeys() {
    return Optional.ofNullable(profile).map(like -> new MemoryKeys(Of.HOST, fingerprint, like));
  }

  /** Whether an attempt of it ran out of GPU memory. */
  public boolean ranOutOfGpuMemory() {
    return failures.containsKey(FailureCategory.GPU_OOM);
  }

  public JobBuilder change() {
    return new JobBuilder(this);
  }
}
