package io.stoker.dispatcher.ledger;

import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;

/**
 * A request as the database holds it. While it is bound to a job and has not ended by itself, its
 * state is the job's: a job's changes cost no writes here, however many share it.
 *
 * @param id its key
 * @param seq order of arrival; 0 for a placeholder
 * @param version its own part of the published version, which is this + {@link JobRow#changes}
 * @param spec canonical JSON as accepted; null for a placeholder
 * @param resolved what is in force where that differs from {@code spec}, else null
 * @param queue where it waits, null for a placeholder
 * @param group its group, null for none
 * @param fingerprint null until all dependencies have succeeded
 * @param job null until bound
 * @param attached whether somebody else started the job
 * @param cached whether the job had succeeded before
 * @param missing dependencies that have not succeeded yet
 * @param ended terminal state of its own, null if its state is the job's
 * @param stopRequested whether its end was asked for
 * @param queuedAt when it was bound to its job, ms since 1970, if that was not when it arrived;
 *     else null
 * @param sentBy who posted it, by the login; null if nobody had to say
 * @param specLeftOut whether {@code spec} and {@code resolved} were too large to be read with it;
 *     both are null then
 */
public record RequestRow(
    String id,
    long seq,
    long version,
    String spec,
    String resolved,
    String queue,
    String group,
    String fingerprint,
    String job,
    boolean attached,
    boolean cached,
    int missing,
    RequestState ended,
    Code code,
    String reason,
    boolean stopRequested,
    Long queuedAt,
    String sentBy,
    boolean specLeftOut) {

  /** A row for an id that was named before it was posted. */
  public static RequestRow placeholder(String id) {
    return new Draft(id).row();
  }

  /** The row of a request that has just arrived; fills its placeholder if there is one. */
  public static RequestRow arrived(JobRequest request, long seq, long now, boolean stop) {
    Draft row = new Draft(request.id());
    row.seq = seq;
    row.version = now;
    row.spec = request.spec();
    row.resolved = request.resolved().orElse(null);
    row.queue = request.queue();
    row.group = request.group().orElse(null);
    row.missing = request.dependsOn().size();
    row.stopRequested = stop;
    return row.row();
  }

  /**
   * As it was posted by somebody.
   *
   * @param who by the login; null if nobody had to say
   */
  public RequestRow sentBy(String who) {
    Draft next = own(0);
    next.sentBy = who;
    return next.row();
  }

  /** The request as it is in force: as posted, unless it was filled in or changed. */
  public String inForce() {
    return resolved == null ? spec : resolved;
  }

  public boolean isPlaceholder() {
    return spec == null && !specLeftOut;
  }

  /** Whether it still waits for dependencies. */
  public boolean waiting() {
    return !isPlaceholder() && job == null && ended == null;
  }

  /**
   * Binds it to a job.
   *
   * @param to the job, whose changes are taken out so that the published version only rises by one
   * @param now ms since 1970
   */
  public RequestRow bound(JobRow to, boolean isAttached, boolean isCached, long now) {
    Draft next = own(1 - to.changes());
    next.fingerprint = to.fingerprint();
    next.job = to.id();
    next.attached = isAttached;
    next.cached = isCached;
    next.missing = 0;
    next.queuedAt = now == Arrival.ms(seq) ? null : Long.valueOf(now);
    return next.row();
  }

  /**
   * Ends it by itself, whatever becomes of its job. Its version is the time of that from then on,
   * and the whole of what is published, unless it has changed more than once a millisecond: by it
   * the request is dropped some day.
   *
   * @param jobsChanges of its job, 0 if it has none
   */
  public RequestRow ended(RequestState how, Code why, String sentence, long jobsChanges, long now) {
    long changes = Math.max(jobsChanges + 1, now - version);
    Draft next = own(changes);
    next.ended = how;
    next.code = why;
    next.reason = sentence;
    return next.row();
  }

  /** Ends one that has no job. */
  public RequestRow ended(RequestState how, Code why, String sentence, long now) {
    return ended(how, why, sentence, 0, now);
  }

  /** Some of its dependencies have succeeded. */
  public RequestRow settled(int nowMissing) {
    Draft next = own(0);
    next.missing = nowMissing;
    return next.row();
  }

  /** Other than it was posted from now on; no status shows that by itself. */
  public RequestRow inForce(String text) {
    Draft next = own(0);
    next.resolved = text;
    return next.row();
  }

  /** Under a version of its own that is as much later. */
  public RequestRow later(long changes) {
    return own(changes).row();
  }

  /**
   * The placeholder of one that was refused: whoever depends on it need not wait for it. It claims
   * the id for nobody, so the next request of this id is one like any other.
   */
  public RequestRow refused(Code why, String sentence, long now) {
    Draft row = new Draft(id);
    row.version = now;
    row.ended = RequestState.REJECTED;
    row.code = why;
    row.reason = stopRequested ? reason : sentence;
    row.stopRequested = stopRequested;
    return row.row();
  }

  /** The placeholder of one that is to be ended when it arrives; its version tells when. */
  public static RequestRow stopped(String id, String why, long now) {
    Draft row = new Draft(id);
    row.version = now;
    row.reason = why;
    row.stopRequested = true;
    return row.row();
  }

  public RequestRow askedToStop(String why) {
    Draft next = own(1);
    next.reason = why;
    next.stopRequested = true;
    return next.row();
  }

  private Draft own(long changes) {
    Draft next = new Draft(id);
    next.seq = seq;
    next.version = version + changes;
    next.spec = spec;
    next.resolved = resolved;
    next.queue = queue;
    next.group = group;
    next.fingerprint = fingerprint;
    next.job = job;
    next.attached = attached;
    next.cached = cached;
    next.missing = missing;
    next.ended = ended;
    next.code = code;
    next.reason = reason;
    next.stopRequested = stopRequested;
    next.queuedAt = queuedAt;
    next.sentBy = sentBy;
    next.specLeftOut = specLeftOut;
    return next;
  }

  /** A row in the making; of a placeholder until more is said. */
  private static final class Draft {
    private final String id;
    private long seq;
    private long version;
    private String spec;
    private String resolved;
    private String queue;
    private String group;
    private String fingerprint;
    private String job;
    private boolean attached;
    private boolean cached;
    private int missing;
    private RequestState ended;
    private Code code;
    private String reason;
    private boolean stopRequested;
    private Long queuedAt;
    private String sentBy;
    private boolean specLeftOut;

    private Draft(String id) {
      this.id = id;
    }

    private RequestRow row() {
      return new RequestRow(
          id,
          seq,
          version,
          spec,
          resolved,
          queue,
          group,
          fingerprint,
          job,
          attached,
          cached,
          missing,
          ended,
          code,
          reason,
          stopRequested,
          queuedAt,
          sentBy,
          specLeftOut);
    }
  }
}
