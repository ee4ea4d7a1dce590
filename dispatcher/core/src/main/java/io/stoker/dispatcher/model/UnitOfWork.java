package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The rows that one transaction has locked, as of {@code now}, and the changes to them. Deciders
 * change the unit of work; the store writes the difference and commits; what is to be published
 * follows the commit.
 */
public final class UnitOfWork {
  private final long now;
  private final IdentityMap<String, RequestRow> requests = new IdentityMap<>(RequestRow::id);
  private final IdentityMap<String, JobRow> jobs = new IdentityMap<>(JobRow::id);
  private final IdentityMap<AttemptRow.Key, AttemptRow> attempts =
      new IdentityMap<>(AttemptRow::key);
  private final IdentityMap<DependencyRow, DependencyRow> dependencies =
      new IdentityMap<>(row -> row);
  private final IdentityMap<FanOutRow.Key, FanOutRow> fanOuts = new IdentityMap<>(FanOutRow::key);
  private final IdentityMap<String, GroupBudget> budgets = new IdentityMap<>(GroupBudget::group);
  private final Set<String> held = new HashSet<>();
  private final Map<String, JobRow> holders = new LinkedHashMap<>();
  private final Map<String, JobRow> successors = new LinkedHashMap<>();
  private final Map<String, ReadyRow> ready = new LinkedHashMap<>();
  private final Set<String> notReady = new LinkedHashSet<>();
  private final Map<String, BackoffRow> backedOff = new LinkedHashMap<>();
  private final Set<String> backoffsEnded = new LinkedHashSet<>();
  private final List<TimerRow> timers = new ArrayList<>();
  private final Set<TimerRow.Key> stoppedTimers = new LinkedHashSet<>();
  private final Set<String> shared = new LinkedHashSet<>();
  private final Set<String> withDependents = new LinkedHashSet<>();
  private final List<Told> told = new ArrayList<>();
  private final List<Usage> used = new ArrayList<>();
  private final List<GroupEntry> sharersEnded = new ArrayList<>();
  private final Set<String> named = new LinkedHashSet<>();
  private final Set<String> due = new LinkedHashSet<>();
  private final Map<String, UsageRow> usage = new TreeMap<>();
  private final List<InputRow> inputs = new ArrayList<>();
  private final List<IntermediateRow> intermediates = new ArrayList<>();
  private final List<PastAttempt> past = new ArrayList<>();
  private final List<MemoryRow> learned = new ArrayList<>();
  private final Map<String, LaunchFailure> launchFailures = new TreeMap<>();
  private final Set<String> launchedOn = new LinkedHashSet<>();
  private final List<Warning> warnings = new ArrayList<>();
  private final List<Ran> ran = new ArrayList<>();

  /** A process of a job of that profile has run for so long. */
  public record Ran(String profile, long ms) {}

  /** Something to tell an agent after the commit; owed by a row until it had its effect. */
  public record Told(String host, ToAgent message) {}

  /**
   * @param now the database's clock, ms since 1970
   */
  public UnitOfWork(long now) {
    this.now = now;
  }

  public long now() {
    return now;
  }

  public IdentityMap<String, RequestRow> requests() {
    return requests;
  }

  public IdentityMap<String, JobRow> jobs() {
    return jobs;
  }

  public IdentityMap<AttemptRow.Key, AttemptRow> attempts() {
    return attempts;
  }

  public IdentityMap<DependencyRow, DependencyRow> dependencies() {
    return dependencies;
  }

  public IdentityMap<FanOutRow.Key, FanOutRow> fanOuts() {
    return fanOuts;
  }

  /** Limits of groups' retries, of those that have any. */
  public IdentityMap<String, GroupBudget> budgets() {
    return budgets;
  }

  /** The limit of the group of the request that started a held job, if both are held. */
  public Optional<GroupBudget> budgetOf(JobRow job) {
    return requests.find(job.asked().firstRequest()).map(RequestRow::group).flatMap(budgets::find);
  }

  /** Takes over a job as the database holds it, and its role for its fingerprint. */
  public void loadJob(JobRow job) {
    jobs.load(job);
    index(job);
  }

  /** Takes over a job that others hold at the same time: it can be read and not changed. */
  public void loadHeldJob(JobRow job) {
    held.add(job.id());
    loadJob(job);
  }

  /** Whether a job is held together with others. */
  public boolean holdsWithOthers(String job) {
    return held.contains(job);
  }

  /** Inserts or replaces a job. */
  public void putJob(JobRow job) {
    holders.remove(job.fingerprint(), jobs.find(job.id()).orElse(null));
    successors.remove(job.fingerprint(), jobs.find(job.id()).orElse(null));
    jobs.put(job);
    index(job);
  }

  private void index(JobRow job) {
    switch (job.role()) {
      case HOLDER -> holders.put(job.fingerprint(), job);
      case SUCCESSOR -> successors.put(job.fingerprint(), job);
      case NONE -> {}
    }
  }

  /** The job that equals of a fingerprint are answered with, among those held. */
  public Optional<JobRow> holder(String fingerprint) {
    return Optional.ofNullable(holders.get(fingerprint));
  }

  /** The job that waits for the holder's end, among those held. */
  public Optional<JobRow> successor(String fingerprint) {
    return Optional.ofNullable(successors.get(fingerprint));
  }

  /** Where a held request stands: by itself, or as its job does, which must be held too. */
  public RequestState stateOf(String request) {
    RequestRow row = requests.get(request);
    if (row.ended() != null) {
      return row.ended();
    }
    return row.job() == null ? RequestState.WAITING : jobs.get(row.job()).shown();
  }

  /** The open attempt of a job, among those held; of a gang the first member that is open. */
  public Optional<AttemptRow> openAttempt(JobRow job) {
    return job.latest().gang() == null
        ? attempts.find(new AttemptRow.Key(job.id(), job.latest().number()))
        : openMembers(job).stream().findFirst();
  }

  /** What is open of a job's newest attempt, by rank; one row at most if it has one host. */
  public List<AttemptRow> openMembers(JobRow job) {
    int size = job.latest().gang() == null ? 1 : job.latest().gang().size();
    List<AttemptRow> open = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      attempts.find(new AttemptRow.Key(job.id(), job.latest().number(), rank)).ifPresent(open::add);
    }
    return open;
  }

  /** Puts a job in line; one that waits for its next attempt gets there when its time has come. */
  public void makeReady(JobRow job) {
    makeReady(job, job.asked().seq());
  }

  /** Puts a job in line as if it had come no earlier than {@code seq}; see {@link Arrival}. */
  public void makeReady(JobRow job, long seq) {
    if (job.retryAt() != null) {
      return;
    }
    notReady.remove(job.id());
    ready.put(job.id(), ReadyRow.of(job, Math.max(seq, job.asked().seq()), group(job)));
  }

  /** Of the request that started it; once that has left, of those that remain, if it is one. */
  private String group(JobRow job) {
    Optional<RequestRow> first = requests.find(job.asked().firstRequest());
    if (first.isEmpty()) {
      return null;
    }
    Stream<RequestRow> whose =
        first.get().ended() == null
            ? first.stream()
            : requests.all().stream()
                .filter(row -> job.id().equals(row.job()) && row.ended() == null);
    List<String> groups =
        whose.map(row -> Objects.requireNonNullElse(row.group(), "")).distinct().toList();
    return groups.size() == 1 ? groups.getFirst() : "";
  }

  /** Takes a job out of the line; one that is new has not been there yet. */
  public void takeFromReady(String job) {
    boolean isNew = ready.remove(job) != null && jobs.before(job).isEmpty();
    if (!isNew) {
      notReady.add(job);
    }
  }

  /** Lets a job wait before it gets in line. */
  public void backOff(BackoffRow row) {
    backoffsEnded.remove(row.job());
    backedOff.put(row.job(), row);
  }

  /** The job waits no longer. */
  public void endBackoff(String job) {
    backedOff.remove(job);
    backoffsEnded.add(job);
  }

  public List<BackoffRow> backedOff() {
    return List.copyOf(backedOff.values());
  }

  public Set<String> backoffsEnded() {
    return Collections.unmodifiableSet(backoffsEnded);
  }

  public List<ReadyRow> madeReady() {
    return List.copyOf(ready.values());
  }

  public Set<String> takenFromReady() {
    return Collections.unmodifiableSet(notReady);
  }

  /** Closes an attempt: its queue pays for the time from its placement on. */
  public void close(AttemptRow attempt) {
    attempts.remove(attempt.key());
    usage.merge(attempt.queue(), UsageRow.of(attempt, now), UsageRow::plus);
  }

  /** An attempt that was closed is to be remembered. */
  public void past(PastAttempt attempt) {
    past.add(attempt);
  }

  public List<PastAttempt> past() {
    return List.copyOf(past);
  }

  /** What the attempts took that were closed, by queue. */
  public List<UsageRow> usage() {
    return List.copyOf(usage.values());
  }

  public void startTimer(TimerRow timer) {
    timers.add(timer);
  }

  public void stopTimer(TimerRow.Kind kind, String request) {
    stoppedTimers.add(new TimerRow.Key(kind, request));
  }

  public List<TimerRow> startedTimers() {
    return List.copyOf(timers);
  }

  public Set<TimerRow.Key> stoppedTimers() {
    return Collections.unmodifiableSet(stoppedTimers);
  }

  /** The record being worked on names this request: redelivery would publish its status again. */
  public void publishNamed(String request) {
    named.add(request);
  }

  /** Nothing names this request: a row in the same transaction keeps its status owed. */
  public void publishDue(String request) {
    due.add(request);
  }

  public Set<String> named() {
    return Collections.unmodifiableSet(named);
  }

  /** Requests that are owed a status which no redelivery would publish. */
  public List<String> due() {
    return due.stream().filter(request -> !named.contains(request)).toList();
  }

  /** Notes which of the held jobs have sharers. */
  public void loadShared(Collection<String> jobsWithSharers) {
    shared.addAll(jobsWithSharers);
  }

  /** Whether requests share a held job that they did not start. */
  public boolean isShared(String job) {
    return shared.contains(job);
  }

  /** Notes which of the held requests others depend on. */
  public void loadWithDependents(Collection<String> requestsWithDependents) {
    withDependents.addAll(requestsWithDependents);
  }

  public boolean hasDependents(String request) {
    return withDependents.contains(request);
  }

  /** A new job depends on this. */
  public void needs(InputRow input) {
    inputs.add(input);
  }

  /** What new jobs depend on. */
  public List<InputRow> inputs() {
    return List.copyOf(inputs);
  }

  public void tell(String host, ToAgent message) {
    told.add(new Told(host, message));
  }

  /** An attempt that ended has taken so much. */
  public void used(Usage usage) {
    if (usage != null) {
      used.add(usage);
    }
  }

  /** What attempts took that ended. */
  public List<Usage> used() {
    return List.copyOf(used);
  }

  /** An agent warned of a running attempt. */
  public void warned(Warning of) {
    warnings.add(of);
  }

  public List<Warning> warnings() {
    return List.copyOf(warnings);
  }

  /** A process has run on CPU slots, to its end. */
  public void ran(String profile, long ms) {
    ran.add(new Ran(profile, ms));
  }

  public List<Ran> ran() {
    return List.copyOf(ran);
  }

  /** A peak of memory was measured. */
  public void learn(MemoryRow row) {
    learned.add(row);
  }

  /** A job gave a result while it runs. */
  public void said(IntermediateRow row) {
    intermediates.add(row);
  }

  public List<IntermediateRow> intermediates() {
    return List.copyOf(intermediates);
  }

  /** A job could not be started on a host. */
  public void launchFailed(String host, String job) {
    launchFailures.put(host + ' ' + job, new LaunchFailure(host, job, now));
  }

  public List<LaunchFailure> launchFailures() {
    return List.copyOf(launchFailures.values());
  }

  /** Something was started on a host. */
  public void launched(String host) {
    launchedOn.add(host);
    launchFailures.values().removeIf(failure -> failure.host().equals(host));
  }

  public Set<String> launchedOn() {
    return Collections.unmodifiableSet(launchedOn);
  }

  public List<MemoryRow> learned() {
    return List.copyOf(learned);
  }

  public List<Told> told() {
    return List.copyOf(told);
  }

  /** So many requests of a group that shared a job have ended with it. */
  public void sharersEnded(String group, RequestState how, long times) {
    sharersEnded.add(GroupEntry.ended(group, how, times, now));
  }

  List<GroupEntry> sharersEnded() {
    return List.copyOf(sharersEnded);
  }

  /** Work to go through in chunks after this transaction. */
  public void fanOut(FanOutRow.Kind kind, String subject) {
    FanOutRow row = new FanOutRow(kind, subject, "");
    fanOuts.put(row);
  }
}
