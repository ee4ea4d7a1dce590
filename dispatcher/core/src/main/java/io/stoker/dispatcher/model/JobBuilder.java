package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.JobRow.Asked;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.JobRow.Sharing;
import io.stoker.dispatcher.model.JobStanding.Live;
import java.util.List;

/** Makes the next version of a job's row. */
public final class JobBuilder {
  private final JobRow before;
  private boolean shown;
  private Sharing sharing;
  private Asked asked;
  private JobStanding standing;
  private LatestAttempt latest;
  private Setbacks setbacks;
  private JobResult result;

  JobBuilder(JobRow before) {
    this.before = before;
    sharing = before.sharing();
    asked = before.asked();
    standing = before.standing();
    latest = before.latest();
    setbacks = before.setbacks();
    result = before.result();
  }

  /**
   * Where it stands while it is not over.
   *
   * @throws IllegalStateException if it is
   */
  private Live live() {
    if (standing instanceof Live live) {
      return live;
    }
    throw new IllegalStateException("job %s is %s".formatted(before.id(), standing.state()));
  }

  public JobBuilder role(Role next) {
    sharing = new Sharing(sharing.fingerprint(), next);
    return this;
  }

  /**
   * Told to end.
   *
   * @param why its code once it is over; it shows none before
   */
  public JobBuilder ending(Code why) {
    standing = live().toEnd(why);
    return shown();
  }

  public JobBuilder priority(int next) {
    asked = asked.priority(next);
    return this;
  }

  public JobBuilder shape(String next) {
    asked = asked.shape(next);
    return this;
  }

  public JobBuilder policy(JobPolicy next) {
    asked = asked.policy(next);
    return this;
  }

  /** Given to a host, as its next latest. */
  public JobBuilder placed(String onHost) {
    return placed(onHost, null);
  }

  /** Given to several hosts at once, by rank, as its next latest. */
  public JobBuilder placed(List<String> onHosts) {
    return placed(onHosts.getFirst(), Gang.on(onHosts));
  }

  private JobBuilder placed(String onHost, Gang gang) {
    standing = live().to(JobState.PLACED, null, null);
    latest = LatestAttempt.placed(before.nextAttempt(), onHost, gang);
    return shown();
  }

  /**
   * Given to a host that holds it behind its CPU slots, as its next latest. To people it stands in
   * line as before.
   */
  public JobBuilder placedAhead() {
    boolean told = shown;
    boolean asBefore =
        latest.isBlank()
            && before.nextAttempt() == latest.number() + 1
            && standing.code() == null
            && standing.reason() == null;
    placed((String) null);
    shown = told || !asBefore;
    return this;
  }

  /** It is there, if that was not said yet. */
  public JobBuilder on(String itsHost) {
    latest = latest.host() == null ? latest.on(itsHost) : latest;
    return this;
  }

  /** What is known of its hosts; their requests show which devices they gave. */
  public JobBuilder gang(Gang next) {
    boolean same = latest.gang().closed().members().equals(next.closed().members());
    latest = latest.gang(next);
    return same ? this : shown();
  }

  /** Says why it is as it is. */
  public JobBuilder reason(String next) {
    standing = live().told(standing.code(), next);
    return shown();
  }

  /** It is in line, and what is said of that; null for both if there is nothing to say. */
  public JobBuilder waits(Code of, String why) {
    standing = live().told(of, why);
    return shown();
  }

  public JobBuilder running(List<String> onDevices) {
    standing = live().to(JobState.RUNNING, standing.code(), standing.reason());
    latest = latest.devices(onDevices);
    return shown();
  }

  /** It began to run then, ms since 1970, or before that, if an earlier time is known. */
  public JobBuilder startedAt(long at) {
    Long known = latest.startedAt();
    latest = known == null || at < known ? latest.startedAt(at) : latest;
    return this;
  }

  /** It was answered by another job, whose result it has. */
  public JobBuilder answeredBy(JobRow other) {
    result =
        new JobResult(
            other.result().text(), false, new AnsweredBy(other.asked().firstRequest(), other.id()));
    return role(Role.NONE).exitCode(other.latest().exitCode());
  }

  /** It runs, and not as it should; null for both if that is over. */
  public JobBuilder warned(Code of, String why) {
    Live now = live();
    standing = now.told(now.ending() ? now.code() : of, why);
    return shown();
  }

  /** Back to the queue, after a failure or a placement that came to nothing. */
  public JobBuilder queued(String why) {
    Code code = standing.code();
    standing = live().to(JobState.QUEUED, code != null && code.warns() ? null : code, why);
    asked = asked.policy(asked.policy().afterAttempt());
    latest = latest.progress(null);
    return shown();
  }

  /** It made room for another one; its code says so until it is placed again. */
  public JobBuilder preempted() {
    standing = live().told(Code.PREEMPTED, standing.reason());
    setbacks = setbacks.preempted();
    return this;
  }

  public JobBuilder progress(String next) {
    latest = latest.progress(next);
    return shown();
  }

  public JobBuilder result(String next) {
    result = result.text(next);
    return this;
  }

  public JobBuilder devices(List<String> next) {
    latest = latest.devices(next);
    return this;
  }

  public JobBuilder exitCode(Integer next) {
    latest = latest.exitCode(next);
    return this;
  }

  /** What its last attempt took. */
  public JobBuilder usage(Usage next) {
    latest = latest.usage(next);
    return this;
  }

  /** Counts a failure and remembers where it happened. */
  public JobBuilder failure(FailureCategory category, String onHost, List<String> onDevices) {
    setbacks = setbacks.failure(category, onHost, onDevices);
    return this;
  }

  /** When it gets in line, ms since 1970; null = it is in line as soon as it is queued. */
  public JobBuilder retryAt(Long next) {
    standing = live().retryAt(next);
    return this;
  }

  public JobBuilder ended(JobState how, Code why, String sentence, long now) {
    standing = live().ended(how, why, sentence, now);
    return how == JobState.SUCCEEDED ? shown() : role(Role.NONE).shown();
  }

  /** A change that its requests show. */
  private JobBuilder shown() {
    shown = true;
    return this;
  }

  public JobRow build() {
    long changes = before.changes() + (shown ? 1 : 0);
    return new JobRow(before.id(), sharing, asked, standing, changes, latest, setbacks, result);
  }
}
