package io.stoker.dispatcher.model;

import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;

/**
 * A request as the database holds it. While it is bound to a job and has not ended by itself, its
 * state is the job's: a job's changes cost no writes here, however many share it.
 *
 * @param id its key
 * @param version its own part of the published version, which is this + {@link JobRow#changes}
 * @param posted null for a placeholder
 * @param bound null until bound to a job
 * @param missing dependencies that have not succeeded yet
 * @param end of its own, null if its state is the job's
 * @param reason for people: why it ended, or is to end
 * @param stopRequested whether its end was asked for
 */
public record RequestRow(
    String id,
    long version,
    Posted posted,
    Bound bound,
    int missing,
    End end,
    String reason,
    boolean stopRequested) {

  /**
   * What was posted, and when.
   *
   * @param seq order of arrival
   * @param spec canonical JSON as accepted
   * @param resolved what is in force where that differs from {@code spec}, else null
   * @param leftOut whether {@code spec} and {@code resolved} were too large to be read with it;
   *     both are null then
   * @param queue where it waits
   * @param group its group, null for none
   * @param sentBy who posted it, by the login; null if nobody had to say
   */
  public record Posted(
      long seq,
      String spec,
      String resolved,
      boolean leftOut,
      String queue,
      String group,
      String sentBy) {
    private static Posted of(JobRequest request, long seq) {
      return new Posted(
          seq,
          request.spec(),
          request.resolved().orElse(null),
          false,
          request.queue(),
          request.group().orElse(null),
          null);
    }
  }

  /**
   * The job that it is bound to.
   *
   * @param attached whether somebody else started the job
   * @param cached whether the job had succeeded before
   * @param queuedAt when it was bound, ms since 1970, if that was not when it arrived; else null
   */
  public record Bound(
      String fingerprint, String job, boolean attached, boolean cached, Long queuedAt) {}

  /**
   * How it ended by itself.
   *
   * @param code null if there is none
   */
  public record End(RequestState state, Code code) {}

  /** A row for an id that was named before it was posted. */
  public static RequestRow placeholder(String id) {
    return placeholder(id, 0, null, null, false);
  }

  private static RequestRow placeholder(
      String id, long version, End end, String reason, boolean stop) {
    return new RequestRow(id, version, null, null, 0, end, reason, stop);
  }

  /** The row of a request that has just arrived; fills its placeholder if there is one. */
  public static RequestRow arrived(JobRequest request, long seq, long now, boolean stop) {
    int missing = request.dependsOn().size();
    return new RequestRow(
        request.id(), now, Posted.of(request, seq), null, missing, null, null, stop);
  }

  /**
   * As it was posted by somebody.
   *
   * @param who by the login; null if nobody had to say
   */
  public RequestRow sentBy(String who) {
    return with(
        new Posted(seq(), spec(), resolved(), specLeftOut(), queue(), group(), who), version);
  }

  /** The request as it is in force: as posted, unless it was filled in or changed. */
  public String inForce() {
    return resolved() == null ? spec() : resolved();
  }

  public boolean isPlaceholder() {
    return posted == null;
  }

  /** Whether it still waits for dependencies. */
  public boolean waiting() {
    return posted != null && bound == null && end == null;
  }

  /** Order of arrival; 0 for a placeholder. */
  public long seq() {
    return posted == null ? 0 : posted.seq();
  }

  /** Null for a placeholder, or where it was left out. */
  public String spec() {
    return posted == null ? null : posted.spec();
  }

  /** Null where that is the same. */
  public String resolved() {
    return posted == null ? null : posted.resolved();
  }

  public boolean specLeftOut() {
    return posted != null && posted.leftOut();
  }

  /** Null for a placeholder. */
  public String queue() {
    return posted == null ? null : posted.queue();
  }

  /** Null for none. */
  public String group() {
    return posted == null ? null : posted.group();
  }

  /** Null where nobody had to say. */
  public String sentBy() {
    return posted == null ? null : posted.sentBy();
  }

  /** Null until all dependencies have succeeded. */
  public String fingerprint() {
    return bound == null ? null : bound.fingerprint();
  }

  /** Null until bound. */
  public String job() {
    return bound == null ? null : bound.job();
  }

  public boolean attached() {
    return bound != null && bound.attached();
  }

  public boolean cached() {
    return bound != null && bound.cached();
  }

  /** Null where that was when it arrived, or is not yet. */
  public Long queuedAt() {
    return bound == null ? null : bound.queuedAt();
  }

  /** Terminal state of its own, null if its state is the job's. */
  public RequestState ended() {
    return end == null ? null : end.state();
  }

  /** Of its own end, null if there is none. */
  public Code code() {
    return end == null ? null : end.code();
  }

  /**
   * Binds it to a job.
   *
   * @param to the job, whose changes are taken out so that the published version only rises by one
   * @param now ms since 1970
   */
  public RequestRow bound(JobRow to, boolean isAttached, boolean isCached, long now) {
    Long queuedAt = now == Arrival.ms(seq()) ? null : Long.valueOf(now);
    Bound next = new Bound(to.fingerprint(), to.id(), isAttached, isCached, queuedAt);
    return new RequestRow(
        id, version + 1 - to.changes(), posted, next, 0, end, reason, stopRequested);
  }

  /**
   * Ends it by itself, whatever becomes of its job. Its version is the time of that from then on,
   * and the whole of what is published, unless it has changed more than once a millisecond: by it
   * the request is dropped some day.
   *
   * @param jobsChanges of its job, 0 if it has none
   */
  public RequestRow ended(RequestState how, Code why, String sentence, long jobsChanges, long now) {
    long next = version + Math.max(jobsChanges + 1, now - version);
    return new RequestRow(
        id, next, posted, bound, missing, new End(how, why), sentence, stopRequested);
  }

  /** Ends one that has no job. */
  public RequestRow ended(RequestState how, Code why, String sentence, long now) {
    return ended(how, why, sentence, 0, now);
  }

  /** Some of its dependencies have succeeded. */
  public RequestRow settled(int nowMissing) {
    return new RequestRow(id, version, posted, bound, nowMissing, end, reason, stopRequested);
  }

  /** Other than it was posted from now on; no status shows that by itself. */
  public RequestRow inForce(String text) {
    return with(
        new Posted(seq(), spec(), text, specLeftOut(), queue(), group(), sentBy()), version);
  }

  /** Under a version of its own that is as much later. */
  public RequestRow later(long changes) {
    return with(posted, version + changes);
  }

  private RequestRow with(Posted next, long nextVersion) {
    return new RequestRow(id, nextVersion, next, bound, missing, end, reason, stopRequested);
  }

  /**
   * The placeholder of one that was refused: whoever depends on it need not wait for it. It claims
   * the id for nobody, so the next request of this id is one like any other.
   */
  public RequestRow refused(Code why, String sentence, long now) {
    String said = stopRequested ? reason : sentence;
    return placeholder(id, now, new End(RequestState.REJECTED, why), said, stopRequested);
  }

  /** The placeholder of one that is to be ended when it arrives; its version tells when. */
  public static RequestRow stopped(String id, String why, long now) {
    return placeholder(id, now, null, why, true);
  }

  public RequestRow askedToStop(String why) {
    return new RequestRow(id, version + 1, posted, bound, missing, end, why, true);
  }
}
