package io.stoker.dispatcher.model;

import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import java.util.Optional;

/**
 * A job as the database holds it: one execution of a meaning, through all of its attempts.
 *
 * @param changes rises with every change that its requests show
 */
public record JobRow(
    String id,
    Sharing sharing,
    Asked asked,
    JobStanding standing,
    long changes,
    LatestAttempt latest,
    Setbacks setbacks,
    JobResult result) {

  /** What a job is to its fingerprint. */
  public enum Role {
    NONE,
    /** Live or succeeded: equals share it. At most one a fingerprint. */
    HOLDER,
    /** Waits for the holder to end. At most one a fingerprint. */
    SUCCESSOR
  }

  /**
   * Who shares it.
   *
   * @param role whether equal requests are answered with it
   */
  public record Sharing(String fingerprint, Role role) {}

  /**
   * What it was asked for, and where it stands in line.
   *
   * @param firstRequest the request that started it
   * @param priority the highest of all sharers
   * @param seq arrival of the first request
   * @param shape canonical JSON of its resources
   * @param profile what it is like: jobs of one profile are expected to take as much memory; null
   *     where workers of a pool run it
   * @param policy retries and limits
   */
  public record Asked(
      String firstRequest,
      String queue,
      int priority,
      long seq,
      String shape,
      String profile,
      JobPolicy policy) {
    static Asked of(RequestRow row, JobRequest request) {
      String profile = request.workers().isPresent() ? null : Profile.of(request);
      return new Asked(
          row.id(),
          request.queue(),
          request.priority(),
          row.seq(),
          Shape.of(request, profile).text(),
          profile,
          JobPolicy.of(request));
    }

    Asked priority(int next) {
      return new Asked(firstRequest, queue, next, seq, shape, profile, policy);
    }

    Asked shape(String next) {
      return new Asked(firstRequest, queue, priority, seq, next, profile, policy);
    }

    Asked policy(JobPolicy next) {
      return new Asked(firstRequest, queue, priority, seq, shape, profile, next);
    }
  }

  /** A job that a request starts. */
  public static JobRow first(
      String id, String fingerprint, Role role, RequestRow row, JobRequest request) {
    String reason = role == Role.SUCCESSOR ? "waits for an equal job to end" : null;
    return new JobRow(
        id,
        new Sharing(fingerprint, role),
        Asked.of(row, request),
        JobStanding.Live.asked(reason),
        0,
        LatestAttempt.NONE,
        Setbacks.NONE,
        JobResult.NONE);
  }

  public String fingerprint() {
    return sharing.fingerprint();
  }

  public Role role() {
    return sharing.role();
  }

  public JobState state() {
    return standing.state();
  }

  public Code code() {
    return standing.code();
  }

  public String reason() {
    return standing.reason();
  }

  /** Whether it was told to end and is not over yet. */
  public boolean ending() {
    return standing instanceof JobStanding.Live live && live.ending();
  }

  /** When it gets in line, ms since 1970, where it waits after a failure; else null. */
  public Long retryAt() {
    return standing instanceof JobStanding.Live live ? live.retryAt() : null;
  }

  /** When it ended, ms since 1970; null while it is live. */
  public Long endedAt() {
    return standing instanceof JobStanding.Ended ended ? Long.valueOf(ended.at()) : null;
  }

  public boolean live() {
    return standing instanceof JobStanding.Live;
  }

  /**
   * Whether its host holds it behind CPU slots, as far as is known: people see it as in line, and
   * no host of it, until it runs.
   */
  public boolean ahead() {
    return state() == JobState.PLACED && latest.host() == null;
  }

  /** How its requests show it. */
  public RequestState shown() {
    return ahead() ? RequestState.QUEUED : state().shown();
  }

  /** The number of its next attempt: no attempt of the job ever had it. */
  public int nextAttempt() {
    Integer given = asked.policy().numbersGiven();
    return 1 + (given == null ? latest.number() : Math.max(latest.number(), given));
  }

  /** Under what its peaks of GPU memory are remembered. */
  public MemoryKeys memoryKeys() {
    return new MemoryKeys(fingerprint(), asked.profile());
  }

  /** Under what its peaks of host memory are remembered; nothing where that is not known. */
  public Optional<MemoryKeys> hostMemoryKeys() {
    return Optional.ofNullable(asked.profile())
        .map(like -> new MemoryKeys(Of.HOST, fingerprint(), like));
  }

  /** Whether an attempt of it ran out of GPU memory. */
  public boolean ranOutOfGpuMemory() {
    return setbacks.failures().containsKey(FailureCategory.GPU_OOM);
  }

  public JobBuilder change() {
    return new JobBuilder(this);
  }
}
