package io.stoker.simulation;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.GroupBudget;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.LaunchFailure;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemoryRow;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.TimerRow;
import io.stoker.dispatcher.ledger.UsageRow;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.placement.Hold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** What is committed: the same tables, keys and unique indexes as the schema has. */
final class Tables {
  final Map<String, RequestRow> requests = new TreeMap<>();
  final Map<String, JobRow> jobs = new TreeMap<>();
  final Map<String, ReadyRow> ready = new LinkedHashMap<>();
  final Map<String, BackoffRow> backoffs = new LinkedHashMap<>();
  final Map<String, GroupBudget> budgets = new TreeMap<>();
  final Map<AttemptRow.Key, AttemptRow> attempts = new LinkedHashMap<>();
  final Set<DependencyRow> dependencies = new LinkedHashSet<>();
  final Map<FanOutRow.Key, FanOutRow> fanOuts = new LinkedHashMap<>();
  final Map<String, Long> due = new LinkedHashMap<>();
  final Map<TimerRow.Key, TimerRow> timers = new LinkedHashMap<>();
  final Map<String, HostRow> hosts = new TreeMap<>();
  final Map<String, Hold> holds = new LinkedHashMap<>();
  final Set<String> controls = new LinkedHashSet<>();

  /** Peaks of memory, the newest first. */
  final Map<String, List<Long>> peaks = new LinkedHashMap<>();

  final Map<String, Usage> usage = new LinkedHashMap<>();
  final List<UsageRow> usageEntries = new ArrayList<>();

  /** Never changed, so that whoever has read it has what it was. */
  List<LaunchFailure> launchFailures = List.of();

  private long marks;
  long fleetEpoch;
  String scheduler = "";
  long heldUntil;
  long shown;

  /** What transactions add to the wall clock, ms. */
  long clockCorrection;

  /** What the last pass that placed something was about to publish. */
  List<String> announced = List.of();

  /** What is to be done first, since all of this was put back as it was before. */
  Optional<Restored> restored = Optional.empty();

  /**
   * A restore.
   *
   * @param replayed whether what the lost tables were told has been read again
   * @param owed requests of which the topic has what these tables do not
   */
  record Restored(BooleanSupplier replayed, Set<String> owed) {}

  Tables() {
    budgets.put(Settings.GROUP, new GroupBudget(Settings.GROUP, Settings.GROUP_RETRIES, 0));
  }

  /** As they are; rows never change. */
  Tables copy() {
    Tables copy = new Tables();
    copy.become(this);
    return copy;
  }

  /** Takes over all of what another one has. */
  void become(Tables other) {
    replace(requests, other.requests);
    replace(jobs, other.jobs);
    replace(ready, other.ready);
    replace(backoffs, other.backoffs);
    replace(budgets, other.budgets);
    replace(attempts, other.attempts);
    dependencies.clear();
    dependencies.addAll(other.dependencies);
    replace(fanOuts, other.fanOuts);
    replace(due, other.due);
    replace(timers, other.timers);
    replace(hosts, other.hosts);
    replace(holds, other.holds);
    controls.clear();
    controls.addAll(other.controls);
    peaks.clear();
    other.peaks.forEach((key, known) -> peaks.put(key, new ArrayList<>(known)));
    replace(usage, other.usage);
    usageEntries.clear();
    usageEntries.addAll(other.usageEntries);
    launchFailures = other.launchFailures;
    marks = Math.max(marks, other.marks);
    fleetEpoch = other.fleetEpoch;
    scheduler = other.scheduler;
    heldUntil = other.heldUntil;
    shown = other.shown;
    announced = other.announced;
    clockCorrection = other.clockCorrection;
    restored = other.restored;
  }

  private static <K, V> void replace(Map<K, V> rows, Map<K, V> others) {
    rows.clear();
    rows.putAll(others);
  }

  /** A row was inserted by somebody else first; the transaction is done again and finds it. */
  static final class ConcurrentInsert extends RuntimeException {
    private static final long serialVersionUID = 1;

    ConcurrentInsert() {
      super("another transaction inserted the row first", null, false, false);
    }
  }

  Optional<JobRow> withRole(String fingerprint, Role role) {
    return jobs.values().stream()
        .filter(job -> job.role() == role && job.fingerprint().equals(fingerprint))
        .findFirst();
  }

  /** Fails, before anything is written, where the insert of the ledger's rows would. */
  void checkInserts(Ledger ledger) {
    for (JobRow job : ledger.jobs().inserted()) {
      boolean taken =
          job.role() != Role.NONE && withRole(job.fingerprint(), job.role()).isPresent();
      if (taken || jobs.containsKey(job.id())) {
        throw new ConcurrentInsert();
      }
    }
    for (RequestRow request : ledger.requests().inserted()) {
      if (requests.containsKey(request.id())) {
        throw new ConcurrentInsert();
      }
    }
  }

  /** Writes a ledger's difference, in the order of the store's writer. */
  void write(Ledger ledger, boolean forgetDue) {
    ledger.jobs().inserted().forEach(this::put);
    List<JobRow> changed = ledger.jobs().updated();
    changed.stream().filter(job -> job.role() == Role.NONE).forEach(this::put);
    changed.stream().filter(job -> job.role() != Role.NONE).forEach(this::put);
    ledger.requests().inserted().forEach(row -> requests.put(row.id(), row));
    ledger.requests().updated().forEach(row -> requests.put(row.id(), row));
    ledger.takenFromReady().forEach(ready::remove);
    ledger.madeReady().forEach(this::putReady);
    ledger.backoffsEnded().forEach(backoffs::remove);
    ledger.backedOff().forEach(row -> backoffs.put(row.job(), row));
    ledger.budgets().updated().forEach(row -> budgets.put(row.group(), row));
    ledger.attempts().removed().forEach(attempts::remove);
    ledger.attempts().updated().forEach(this::update);
    ledger.attempts().inserted().forEach(this::insert);
    dependencies.removeAll(ledger.dependencies().removed());
    dependencies.addAll(ledger.dependencies().inserted());
    ledger.fanOuts().removed().forEach(fanOuts::remove);
    ledger.fanOuts().updated().forEach(row -> fanOuts.replace(row.key(), row));
    ledger.fanOuts().inserted().forEach(row -> fanOuts.put(row.key(), row));
    ledger.stoppedTimers().forEach(timers::remove);
    ledger.startedTimers().forEach(timer -> timers.put(timer.key(), timer));
    ledger.learned().forEach(this::learn);
    ledger.launchFailures().forEach(this::put);
    usageEntries.addAll(ledger.usage());
    if (!forgetDue) {
      owe(ledger.due());
    }
  }

  void owe(Collection<String> requests) {
    requests.forEach(request -> due.put(request, ++marks));
  }

  private void learn(MemoryRow row) {
    List<Long> known = peaks.computeIfAbsent(row.key(), key -> new ArrayList<>());
    known.addFirst(row.peak());
    if (known.size() > MemoryRules.REMEMBERED) {
      known.removeLast();
    }
  }

  private void put(LaunchFailure failure) {
    List<LaunchFailure> all = new ArrayList<>(launchFailures);
    all.removeIf(one -> one.host().equals(failure.host()) && one.job().equals(failure.job()));
    all.add(failure);
    launchFailures = List.copyOf(all);
  }

  Optional<JobRow> job(RequestRow row) {
    return Optional.ofNullable(row.job()).map(jobs::get);
  }

  /** Where a request stands. */
  RequestState state(RequestRow row) {
    if (row.ended() != null) {
      return row.ended();
    }
    return job(row).map(job -> job.state().shown()).orElse(RequestState.WAITING);
  }

  private void put(JobRow job) {
    if (job.role() != Role.NONE) {
      withRole(job.fingerprint(), job.role())
          .filter(other -> !other.id().equals(job.id()))
          .ifPresent(
              other -> {
                throw new SimulationFailure(
                    "jobs "
                        + other.id()
                        + " and "
                        + job.id()
                        + " are both "
                        + job.role()
                        + " of a"
                        + " fingerprint: the update breaks the unique index");
              });
    }
    jobs.put(job.id(), job);
  }

  private void putReady(ReadyRow row) {
    ready.merge(
        row.job(),
        row,
        (old, fresh) ->
            new ReadyRow(
                old.job(),
                old.queue(),
                fresh.shape(),
                fresh.priority(),
                old.seq(),
                fresh.rank(),
                old.group()));
  }

  private void update(AttemptRow attempt) {
    attempts.replace(attempt.key(), attempt);
  }

  private void insert(AttemptRow attempt) {
    if (attempts.putIfAbsent(attempt.key(), attempt) != null) {
      throw new SimulationFailure("attempt " + attempt.key() + " is inserted twice");
    }
  }
}
