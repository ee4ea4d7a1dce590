package io.stoker.dispatcher.ledger;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.JobRow.Role;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Makes the next version of a job's row. */
public final class JobBuilder {
  private final String id;
  private final String fingerprint;
  private final String firstRequest;
  private final String queue;
  private final long seq;
  private final String profile;
  private final long changes;
  private final int nextAttempt;
  private Role role;
  private JobState state;
  private boolean ending;
  private boolean shown;
  private int attempt;
  private int priority;
  private String shape;
  private JobPolicy policy;
  private String host;
  private List<String> devices;
  private Integer exitCode;
  private Code code;
  private String reason;
  private String progress;
  private String result;
  private Usage usage;
  private Map<FailureCategory, Integer> failures;
  private Avoid avoid;
  private Long retryAt;
  private Long startedAt;
  private Long endedAt;
  private int preemptions;
  private Gang gang;
  private AnsweredBy answeredBy;
  private boolean resultLeftOut;

  /** Of a job that has just been asked for. */
  JobBuilder(String id, String fingerprint, Role role, RequestRow row, JobRequest request) {
    this.id = id;
    this.fingerprint = fingerprint;
    this.role = role;
    firstRequest = row.id();
    queue = request.queue();
    seq = row.seq();
    profile = request.workers().isPresent() ? null : Profile.of(request);
    changes = 0;
    nextAttempt = 1;
    state = JobState.QUEUED;
    priority = request.priority();
    shape = Shape.of(request, profile).text();
    policy = JobPolicy.of(request);
    devices = List.of();
    reason = role == Role.SUCCESSOR ? "waits for an equal job to end" : null;
    failures = Map.of();
    avoid = Avoid.NOTHING;
  }

  JobBuilder(JobRow before) {
    id = before.id();
    fingerprint = before.fingerprint();
    firstRequest = before.firstRequest();
    queue = before.queue();
    seq = before.seq();
    profile = before.profile();
    changes = before.changes();
    nextAttempt = before.nextAttempt();
    role = before.role();
    state = before.state();
    ending = before.ending();
    attempt = before.attempt();
    priority = before.priority();
    shape = before.shape();
    policy = before.policy();
    host = before.host();
    devices = before.devices();
    exitCode = before.exitCode();
    code = before.code();
    reason = before.reason();
    progress = before.progress();
    result = before.result();
    usage = before.usage();
    failures = before.failures();
    avoid = before.avoid();
    retryAt = before.retryAt();
    startedAt = before.startedAt();
    endedAt = before.endedAt();
    preemptions = before.preemptions();
    gang = before.gang();
    answeredBy = before.answeredBy();
    resultLeftOut = before.resultLeftOut();
  }

  public JobBuilder role(Role next) {
    role = next;
    return this;
  }

  /**
   * Told to end.
   *
   * @param why its code once it is over; it shows none before
   */
  public JobBuilder ending(Code why) {
    ending = true;
    code = why;
    return shown();
  }

  public JobBuilder priority(int next) {
    priority = next;
    return this;
  }

  public JobBuilder shape(String next) {
    shape = next;
    return this;
  }

  public JobBuilder policy(JobPolicy next) {
    policy = next;
    return this;
  }

  /** Given to a host, as its next attempt. */
  public JobBuilder placed(String onHost) {
    state = state.to(JobState.PLACED);
    attempt = nextAttempt;
    host = onHost;
    devices = List.of();
    progress = null;
    exitCode = null;
    usage = null;
    startedAt = null;
    code = null;
    reason = null;
    gang = null;
    return shown();
  }

  /**
   * Given to a host that holds it behind its CPU slots, as its next attempt. To people it stands in
   * line as before.
   */
  public JobBuilder placedAhead() {
    boolean told = shown;
    boolean asBefore =
        host == null
            && nextAttempt == attempt + 1
            && devices.isEmpty()
            && exitCode == null
            && usage == null
            && startedAt == null
            && code == null
            && reason == null
            && progress == null;
    placed((String) null);
    shown = told || !asBefore;
    return this;
  }

  /** It is there, if that was not said yet. */
  public JobBuilder on(String itsHost) {
    host = host == null ? itsHost : host;
    return this;
  }

  /** Given to several hosts at once, by rank, as its next attempt. */
  public JobBuilder placed(List<String> onHosts) {
    placed(onHosts.getFirst());
    gang = Gang.on(onHosts);
    return this;
  }

  /** What is known of its hosts; their requests show which devices they gave. */
  public JobBuilder gang(Gang next) {
    boolean same = gang.closed().members().equals(next.closed().members());
    gang = next;
    return same ? this : shown();
  }

  /** Says why it is as it is. */
  public JobBuilder reason(String next) {
    reason = next;
    return shown();
  }

  /** It is in line, and what is said of that; null for both if there is nothing to say. */
  public JobBuilder waits(Code of, String why) {
    code = of;
    reason = why;
    return shown();
  }

  public JobBuilder running(List<String> onDevices) {
    state = state.to(JobState.RUNNING);
    devices = onDevices;
    return shown();
  }

  /** It began to run then, ms since 1970, if that is not known yet. */
  public JobBuilder startedAt(long at) {
    startedAt = startedAt == null ? Long.valueOf(at) : startedAt;
    return this;
  }

  /** It was answered by another job, whose result it has. */
  public JobBuilder answeredBy(JobRow other) {
    role = Role.NONE;
    answeredBy = new AnsweredBy(other.firstRequest(), other.id());
    return result(other.result()).exitCode(other.exitCode());
  }

  /** It runs, and not as it should; null for both if that is over. */
  public JobBuilder warned(Code of, String why) {
    reason = why;
    if (!ending) {
      code = of;
    }
    return shown();
  }

  /** Back to the queue, after a failure or a placement that came to nothing. */
  public JobBuilder queued(String why) {
    state = state.to(JobState.QUEUED);
    policy = policy.afterAttempt();
    reason = why;
    code = code != null && code.warns() ? null : code;
    progress = null;
    return shown();
  }

  /** It made room for another one; its code says so until it is placed again. */
  public JobBuilder preempted() {
    code = Code.PREEMPTED;
    preemptions = preemptions + 1;
    return this;
  }

  public JobBuilder progress(String next) {
    progress = next;
    return shown();
  }

  public JobBuilder result(String next) {
    result = next;
    resultLeftOut = false;
    return this;
  }

  public JobBuilder devices(List<String> next) {
    devices = next;
    return this;
  }

  public JobBuilder exitCode(Integer next) {
    exitCode = next;
    return this;
  }

  /** What its last attempt took. */
  public JobBuilder usage(Usage next) {
    usage = next;
    return this;
  }

  /** Counts a failure and remembers where it happened. */
  public JobBuilder failure(FailureCategory category, String onHost, List<String> onDevices) {
    Map<FailureCategory, Integer> counts = new EnumMap<>(FailureCategory.class);
    counts.putAll(failures);
    counts.merge(category, 1, Integer::sum);
    failures = counts;
    avoid = avoid.and(onHost, onDevices);
    return this;
  }

  /** When it gets in line, ms since 1970; null = it is in line as soon as it is queued. */
  public JobBuilder retryAt(Long next) {
    retryAt = next;
    return this;
  }

  public JobBuilder ended(JobState how, Code why, String sentence, long now) {
    state = state.to(how);
    role = how == JobState.SUCCEEDED ? role : Role.NONE;
    ending = false;
    code = why;
    reason = sentence;
    retryAt = null;
    endedAt = now;
    return shown();
  }

  /** A change that its requests show. */
  private JobBuilder shown() {
    shown = true;
    return this;
  }

  public JobRow build() {
    return new JobRow(
        id,
        fingerprint,
        role,
        state,
        ending,
        changes + (shown ? 1 : 0),
        attempt,
        firstRequest,
        queue,
        priority,
        seq,
        shape,
        profile,
        policy,
        host,
        devices,
        exitCode,
        code,
        reason,
        progress,
        result,
        usage,
        failures,
        avoid,
        retryAt,
        startedAt,
        endedAt,
        preemptions,
        gang,
        answeredBy,
        resultLeftOut);
  }
}
