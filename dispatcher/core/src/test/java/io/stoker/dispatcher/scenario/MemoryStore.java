package io.stoker.dispatcher.scenario;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.model.GroupTally;
import io.stoker.dispatcher.model.InputRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A stand-in for the database: a unit of work opened from it holds everything, and writing it back
 * keeps what the tables' keys and unique indexes would enforce.
 */
public final class MemoryStore {
  private final Map<String, RequestRow> requests = new LinkedHashMap<>();
  private final Map<String, JobRow> jobs = new LinkedHashMap<>();
  private final Map<AttemptRow.Key, AttemptRow> attempts = new LinkedHashMap<>();
  private final Map<List<Object>, PastAttempt> past = new LinkedHashMap<>();
  private final Set<DependencyRow> dependencies = new LinkedHashSet<>();
  private final Set<InputRow> inputs = new LinkedHashSet<>();
  private final Map<FanOutRow.Key, FanOutRow> fanOuts = new LinkedHashMap<>();
  private final Map<String, ReadyRow> ready = new LinkedHashMap<>();
  private final Map<String, BackoffRow> backoffs = new LinkedHashMap<>();
  private final Map<String, GroupBudget> budgets = new LinkedHashMap<>();
  private final Map<TimerRow.Key, TimerRow> timers = new LinkedHashMap<>();
  private final Map<String, GroupEntry> groups = new LinkedHashMap<>();
  private final Set<String> due = new LinkedHashSet<>();
  private long now = 1_000_000;

  public long now() {
    return now;
  }

  /** Lets time pass, in ms. */
  public void pass(long ms) {
    now += ms;
  }

  /** A unit of work that holds everything. */
  public UnitOfWork open() {
    UnitOfWork unit = new UnitOfWork(now);
    unit.requests().loadAll(requests.values());
    jobs.values().forEach(unit::loadJob);
    unit.attempts().loadAll(attempts.values());
    unit.dependencies().loadAll(dependencies);
    unit.fanOuts().loadAll(fanOuts.values());
    unit.budgets().loadAll(budgets.values());
    unit.loadShared(
        requests.values().stream()
            .filter(row -> row.attached() && !row.cached())
            .map(RequestRow::job)
            .toList());
    unit.loadWithDependents(dependencies.stream().map(DependencyRow::dependsOn).toList());
    return unit;
  }

  /** Writes back what a unit of work changed. */
  public void commit(UnitOfWork unit) {
    replace(requests, unit.requests().all(), RequestRow::id);
    replace(jobs, unit.jobs().all(), JobRow::id);
    replace(attempts, unit.attempts().all(), AttemptRow::key);
    replace(budgets, unit.budgets().all(), GroupBudget::group);
    replace(fanOuts, unit.fanOuts().all(), FanOutRow::key);
    unit.past().forEach(row -> past.put(List.of(row.job(), row.slot(), row.rank()), row));
    dependencies.clear();
    dependencies.addAll(unit.dependencies().all());
    inputs.addAll(unit.inputs());
    unit.takenFromReady().forEach(ready::remove);
    unit.madeReady().forEach(row -> ready.put(row.job(), row));
    unit.backoffsEnded().forEach(backoffs::remove);
    unit.backedOff().forEach(row -> backoffs.put(row.job(), row));
    unit.stoppedTimers().forEach(timers::remove);
    unit.startedTimers().forEach(row -> timers.put(row.key(), row));
    due.addAll(unit.due());
    GroupTally.of(unit).forEach(entry -> groups.merge(entry.group(), entry, GroupEntry::plus));
    checkRoles();
  }

  private static <K, R> void replace(Map<K, R> rows, List<R> by, Function<R, K> key) {
    rows.clear();
    by.forEach(row -> rows.put(key.apply(row), row));
  }

  /** The unique index on fingerprint and role. */
  private void checkRoles() {
    Set<List<Object>> seen = new HashSet<>();
    for (JobRow job : jobs.values()) {
      if (job.role() != JobRow.Role.NONE && !seen.add(List.of(job.fingerprint(), job.role()))) {
        throw new IllegalStateException("two jobs have one role for a fingerprint: " + job);
      }
    }
  }

  public List<RequestRow> requests() {
    return List.copyOf(requests.values());
  }

  public RequestRow request(String id) {
    return Optional.ofNullable(requests.get(id)).orElseThrow();
  }

  public JobRow job(String id) {
    return Optional.ofNullable(jobs.get(id)).orElseThrow();
  }

  public List<JobRow> jobs() {
    return List.copyOf(jobs.values());
  }

  public List<AttemptRow> attempts() {
    return List.copyOf(attempts.values());
  }

  /** Attempts that are over and kept, in order of their numbers. */
  public List<PastAttempt> past() {
    return past.values().stream()
        .sorted(Comparator.comparingInt(PastAttempt::number).thenComparingInt(PastAttempt::rank))
        .toList();
  }

  public Set<DependencyRow> dependencies() {
    return Set.copyOf(dependencies);
  }

  /** What jobs depend on, of those that have ended, too. */
  public Set<InputRow> inputs() {
    return Set.copyOf(inputs);
  }

  public List<FanOutRow> fanOuts() {
    return List.copyOf(fanOuts.values());
  }

  public Map<String, ReadyRow> ready() {
    return Map.copyOf(ready);
  }

  /** Limits the retries of a group. */
  public void limitRetries(String group, long retries) {
    budgets.put(group, new GroupBudget(group, retries, 0));
  }

  public GroupBudget budget(String group) {
    return budgets.get(group);
  }

  /** Failed jobs that wait. */
  public List<BackoffRow> backoffs() {
    return List.copyOf(backoffs.values());
  }

  /** Requests with a timer of each kind. */
  public Map<TimerRow.Kind, List<String>> timers() {
    return timers.values().stream()
        .collect(
            Collectors.groupingBy(
                TimerRow::kind, Collectors.mapping(TimerRow::request, Collectors.toList())));
  }

  /** Timers that have run out. */
  public List<TimerRow> dueTimers() {
    return timers.values().stream().filter(timer -> timer.dueAt() <= now).toList();
  }

  /** What transactions have counted of a group. */
  public GroupEntry group(String name) {
    return groups.getOrDefault(name, new GroupEntry(name, 0, 0, 0, 0, 0));
  }

  /** Takes the requests whose statuses are owed. */
  public Set<String> takeDue() {
    Set<String> taken = Set.copyOf(due);
    due.clear();
    return taken;
  }
}
