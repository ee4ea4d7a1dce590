package io.stoker.dispatcher.scenario;

import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.GroupBudget;
import io.stoker.dispatcher.ledger.GroupEntry;
import io.stoker.dispatcher.ledger.GroupTally;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.PastAttempt;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.TimerRow;
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
 * A stand-in for the database: a ledger opened from it holds everything, and writing it back keeps
 * what the tables' keys and unique indexes would enforce.
 */
public final class MemoryStore {
  private final Map<String, RequestRow> requests = new LinkedHashMap<>();
  private final Map<String, JobRow> jobs = new LinkedHashMap<>();
  private final Map<AttemptRow.Key, AttemptRow> attempts = new LinkedHashMap<>();
  private final Map<List<Object>, PastAttempt> past = new LinkedHashMap<>();
  private final Set<DependencyRow> dependencies = new LinkedHashSet<>();
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

  /** A ledger that holds everything. */
  public Ledger open() {
    Ledger ledger = new Ledger(now);
    ledger.requests().loadAll(requests.values());
    jobs.values().forEach(ledger::loadJob);
    ledger.attempts().loadAll(attempts.values());
    ledger.dependencies().loadAll(dependencies);
    ledger.fanOuts().loadAll(fanOuts.values());
    ledger.budgets().loadAll(budgets.values());
    ledger.loadShared(
        requests.values().stream()
            .filter(row -> row.attached() && !row.cached())
            .map(RequestRow::job)
            .toList());
    ledger.loadWithDependents(dependencies.stream().map(DependencyRow::dependsOn).toList());
    return ledger;
  }

  /** Writes back what a ledger changed. */
  public void commit(Ledger ledger) {
    replace(requests, ledger.requests().all(), RequestRow::id);
    replace(jobs, ledger.jobs().all(), JobRow::id);
    replace(attempts, ledger.attempts().all(), AttemptRow::key);
    replace(budgets, ledger.budgets().all(), GroupBudget::group);
    replace(fanOuts, ledger.fanOuts().all(), FanOutRow::key);
    ledger.past().forEach(row -> past.put(List.of(row.job(), row.slot(), row.rank()), row));
    dependencies.clear();
    dependencies.addAll(ledger.dependencies().all());
    ledger.takenFromReady().forEach(ready::remove);
    ledger.madeReady().forEach(row -> ready.put(row.job(), row));
    ledger.backoffsEnded().forEach(backoffs::remove);
    ledger.backedOff().forEach(row -> backoffs.put(row.job(), row));
    ledger.stoppedTimers().forEach(timers::remove);
    ledger.startedTimers().forEach(row -> timers.put(row.key(), row));
    due.addAll(ledger.due());
    GroupTally.of(ledger).forEach(entry -> groups.merge(entry.group(), entry, GroupEntry::plus));
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
