package io.stoker.simulation;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.model.GroupTally;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.placement.PreemptionReservation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
  final Set<String> unlisted = new TreeSet<>();
  final Map<String, PreemptionReservation> holds = new LinkedHashMap<>();
  final Set<String> controls = new LinkedHashSet<>();

  /** What groups have had, folded at once. */
  final Map<String, GroupEntry> counts = new TreeMap<>();

  /** Groups to which nothing is to come any more. */
  final Set<String> closed = new TreeSet<>();

  /** Groups with a plan. */
  final Map<String, ExperimentRow> plans = new TreeMap<>();

  /** Which group a message gave a plan. */
  final Map<String, String> planMessages = new LinkedHashMap<>();

  /** Of jobs in line, the group with a plan that says whether they may start; empty for none. */
  final Map<String, String> lanes = new LinkedHashMap<>();

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
    unlisted.clear();
    unlisted.addAll(other.unlisted);
    replace(holds, other.holds);
    controls.clear();
    controls.addAll(other.controls);
    replace(counts, other.counts);
    closed.clear();
    closed.addAll(other.closed);
    replace(plans, other.plans);
    replace(planMessages, other.planMessages);
    replace(lanes, other.lanes);
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
    for (JobRow job : jobs.values()) {
      if (job.role() == role && job.fingerprint().equals(fingerprint)) {
        return Optional.of(job);
      }
    }
    return Optional.empty();
  }

  /** Fails, before anything is written, where the insert of the unit of work's rows would. */
  void checkInserts(UnitOfWork unit) {
    for (JobRow job : unit.jobs().inserted()) {
      boolean taken =
          job.role() != Role.NONE && withRole(job.fingerprint(), job.role()).isPresent();
      if (taken || jobs.containsKey(job.id())) {
        throw new ConcurrentInsert();
      }
    }
    for (RequestRow request : unit.requests().inserted()) {
      if (requests.containsKey(request.id())) {
        throw new ConcurrentInsert();
      }
    }
  }

  /** Writes a unit of work's difference, in the order of the store's writer. */
  void write(UnitOfWork unit, Set<Defect> defects) {
    unit.jobs().inserted().forEach(this::put);
    List<JobRow> changed = unit.jobs().updated();
    changed.stream().filter(job -> job.role() == Role.NONE).forEach(this::put);
    changed.stream().filter(job -> job.role() != Role.NONE).forEach(this::put);
    unit.requests().inserted().stream()
        .filter(row -> !row.isPlaceholder() || !defects.contains(Defect.FORGET_PLACEHOLDERS))
        .forEach(row -> requests.put(row.id(), row));
    boolean rises = !defects.contains(Defect.KEEP_VERSIONS);
    unit.requests().updated().forEach(row -> update(row, rises));
    unit.takenFromReady().forEach(ready::remove);
    unit.takenFromReady().forEach(lanes::remove);
    unit.madeReady().forEach(this::putReady);
    unit.madeReady().forEach(this::putInLane);
    GroupTally.of(unit).forEach(this::count);
    unit.backoffsEnded().forEach(backoffs::remove);
    unit.backedOff().forEach(row -> backoffs.put(row.job(), row));
    unit.budgets().updated().forEach(row -> budgets.put(row.group(), row));
    unit.attempts().removed().forEach(attempts::remove);
    unit.attempts().updated().forEach(this::update);
    unit.attempts().inserted().forEach(this::insert);
    dependencies.removeAll(unit.dependencies().removed());
    dependencies.addAll(unit.dependencies().inserted());
    unit.fanOuts().removed().forEach(fanOuts::remove);
    unit.fanOuts().updated().forEach(row -> fanOuts.replace(row.key(), row));
    unit.fanOuts().inserted().forEach(row -> fanOuts.put(row.key(), row));
    unit.stoppedTimers().forEach(timers::remove);
    unit.startedTimers().forEach(timer -> timers.put(timer.key(), timer));
    unit.learned().forEach(this::learn);
    unit.launchFailures().forEach(this::put);
    usageEntries.addAll(unit.usage());
    if (!defects.contains(Defect.FORGET_DUE_STATUSES)) {
      owe(unit.due());
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

  /** Whether it was posted, and not only named. */
  boolean isPosted(String request) {
    return Optional.ofNullable(requests.get(request))
        .filter(row -> !row.isPlaceholder())
        .isPresent();
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

  private void update(RequestRow row, boolean rises) {
    RequestRow before = requests.put(row.id(), row);
    if (!rises && before != null && row.ended() != null) {
      requests.put(row.id(), row.later(before.version() - row.version()));
    }
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

  /** Where it is not told which group it is, what was known of it stays. */
  private void putInLane(ReadyRow row) {
    if (row.group() == null) {
      lanes.putIfAbsent(row.job(), "");
    } else {
      ExperimentRow plan = plans.get(row.group());
      lanes.put(row.job(), plan == null || plan.endedAt() != null ? "" : row.group());
    }
  }

  void count(GroupEntry entry) {
    counts.merge(entry.group(), entry, GroupEntry::plus);
  }

  static GroupEntry nothingOf(String group) {
    return new GroupEntry(group, 0, 0, 0, 0, 0);
  }

  /**
   * Whose job it is: the group of who started it; once that has left, those of who remain. Empty
   * texts for none.
   */
  Set<String> groupsOf(JobRow job) {
    RequestRow first = requests.get(job.asked().firstRequest());
    if (first == null) {
      return Set.of("");
    }
    Set<String> those = new TreeSet<>();
    if (first.ended() != null) {
      requests.values().stream()
          .filter(row -> job.id().equals(row.job()) && row.ended() == null)
          .forEach(row -> those.add(Objects.requireNonNullElse(row.group(), "")));
    }
    return those.isEmpty() ? Set.of(Objects.requireNonNullElse(first.group(), "")) : those;
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
