package io.stoker.simulation;

import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.JobLock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A transaction: the statements of the dispatcher's store over {@link Tables}. What it reads it
 * reads at its beginning; what it writes is there at its commit; in between others commit, but not
 * to rows that it has locked.
 */
final class SimTransaction {
  private final World world;
  private final Tables tables;
  private final Locks locks;
  private final long now;
  private final Map<String, ExperimentRow> plansSeen;
  private final List<UnitOfWork> ledgers = new ArrayList<>();
  private final List<Runnable> writes = new ArrayList<>();
  private boolean aborted;
  private final Set<Defect> defects;
  private SimStore reader;
  private Optional<List<LaunchFailure>> heard = Optional.empty();
  private Seen seen = new Seen(List.of(), List.of(), Set.of(), List.of());

  SimTransaction(World world, Tables tables, Locks locks) {
    this.world = world;
    defects = world.defects;
    this.tables = tables;
    this.locks = locks;
    now = world.shownByDatabase() + tables.clockCorrection;
    plansSeen = world.plans ? Map.copyOf(tables.plans) : Map.of();
  }

  World world() {
    return world;
  }

  long now() {
    return now;
  }

  /** Its connection was closed, or the database lost patience with it. */
  void abort() {
    aborted = true;
    locks.release(this);
  }

  boolean aborted() {
    return aborted;
  }

  void write(UnitOfWork unit) {
    ledgers.add(unit);
  }

  /** A write that is no unit of work's. */
  void write(Runnable write) {
    writes.add(write);
  }

  /** The statuses of these requests are to be published. */
  void owe(Collection<String> requests) {
    write(() -> tables.owe(requests));
  }

  /** The holder of the fleet is about to publish the statuses of these requests. */
  void announce(Collection<String> requests) {
    List<String> all = List.copyOf(requests);
    write(() -> tables.announced = all);
  }

  /** Writes everything, or fails before it wrote anything. */
  void commit() {
    for (UnitOfWork unit : ledgers) {
      tables.checkInserts(unit);
      lockWhatIsWritten(unit);
    }
    ledgers.forEach(unit -> tables.write(unit, defects));
    writes.forEach(Runnable::run);
    locks.release(this);
  }

  List<UnitOfWork> ledgers() {
    return ledgers;
  }

  private void lockWhatIsWritten(UnitOfWork unit) {
    unit.jobs().updated().forEach(job -> upgrade("job " + job.id()));
    unit.requests().updated().forEach(row -> upgrade("request " + row.id()));
    unit.budgets().updated().forEach(row -> upgrade("budget " + row.group()));
    unit.fanOuts().inserted().forEach(row -> locks.lock(this, "fanOut " + row.key()));
    unit.madeReady().stream()
        .map(ReadyRow::group)
        .filter(Objects::nonNull)
        .forEach(group -> locks.share(this, "group " + group));
  }

  private void upgrade(String row) {
    if (!locks.holds(this, row) && !has(Defect.COUNT_UNLOCKED)) {
      throw new SimulationFailure("a transaction updates a row that it has not locked: " + row);
    }
    locks.lock(this, row);
  }

  // --- groups with a plan

  /** Nobody gives this group a plan until the transaction is over. */
  void enterGroup(String group) {
    locks.share(this, "group " + group);
    locks.share(this, "plan " + group);
  }

  /** Nothing of this group comes, or gets into line, until the transaction is over. */
  void lockGroup(String group) {
    locks.lock(this, "group " + group);
  }

  void lockPlan(String group) {
    locks.lock(this, "plan " + group);
  }

  void holdPlan(String group) {
    if (!locks.holds(this, "plan " + group)) {
      throw new SimulationFailure("a transaction updates a plan that it has not locked: " + group);
    }
  }

  /** Groups with a plan as they were when it began; not where nobody makes any. */
  Map<String, ExperimentRow> plansSeen() {
    return plansSeen;
  }

  // --- jobs

  List<JobRow> lockJobs(Collection<String> ids) {
    List<JobRow> rows = readJobs(ids);
    rows.forEach(job -> locks.lock(this, "job " + job.id()));
    return rows;
  }

  boolean jobIsFree(String job) {
    return locks.free(this, "job " + job);
  }

  List<JobRow> shareJobs(Collection<String> ids) {
    List<JobRow> rows = readJobs(ids);
    rows.forEach(job -> locks.share(this, "job " + job.id()));
    return rows;
  }

  List<JobRow> readJobs(Collection<String> ids) {
    return rows(ids, tables.jobs);
  }

  /** Those that are there, in the order of their ids. */
  private static <R> List<R> rows(Collection<String> ids, Map<String, R> table) {
    List<R> rows = new ArrayList<>(ids.size());
    for (String id : ids.size() > 1 ? new TreeSet<>(ids) : ids) {
      R row = table.get(id);
      if (row != null) {
        rows.add(row);
      }
    }
    return rows;
  }

  /** Rows that fit; of no keys none does, and nobody looks. */
  private static <R> List<R> where(
      Collection<String> keys, Collection<R> table, Predicate<R> fits) {
    List<R> rows = new ArrayList<>();
    if (!keys.isEmpty()) {
      for (R row : table) {
        if (fits.test(row)) {
          rows.add(row);
        }
      }
    }
    return rows;
  }

  List<JobRow> lockByFingerprint(Collection<String> fingerprints, JobLock how) {
    List<JobRow> rows =
        where(
            fingerprints,
            tables.jobs.values(),
            job -> job.role() != Role.NONE && fingerprints.contains(job.fingerprint()));
    for (JobRow job : rows) {
      if (how == JobLock.CHANGES) {
        locks.lock(this, "job " + job.id());
      } else {
        locks.share(this, "job " + job.id());
      }
    }
    return rows;
  }

  List<JobRow> lockHolders(Collection<String> fingerprints) {
    return lockByFingerprint(fingerprints, JobLock.CHANGES).stream()
        .filter(job -> job.role() == Role.HOLDER)
        .toList();
  }

  List<JobRow> lockSuccessors(Collection<String> fingerprints) {
    List<JobRow> rows =
        where(
            fingerprints,
            tables.jobs.values(),
            job -> job.role() == Role.SUCCESSOR && fingerprints.contains(job.fingerprint()));
    rows.forEach(job -> locks.lock(this, "job " + job.id()));
    return rows;
  }

  // --- requests

  List<RequestRow> lockRequests(Collection<String> ids) {
    List<RequestRow> rows = readRequests(ids);
    rows.stream()
        .filter(row -> !has(Defect.READ_WITHOUT_LOCKS))
        .filter(row -> row.missing() < 2 || !has(Defect.COUNT_UNLOCKED))
        .forEach(row -> locks.lock(this, "request " + row.id()));
    return rows;
  }

  List<RequestRow> readRequests(Collection<String> ids) {
    return rows(ids, tables.requests);
  }

  List<RequestRow> lockSharing(Collection<String> jobs) {
    List<RequestRow> rows = readSharing(jobs);
    rows.forEach(row -> locks.lock(this, "request " + row.id()));
    return rows;
  }

  List<RequestRow> readSharing(Collection<String> jobs) {
    Set<String> first = new LinkedHashSet<>();
    readJobs(jobs).forEach(job -> first.add(job.asked().firstRequest()));
    return where(
        jobs,
        tables.requests.values(),
        row -> row.ended() == null && (shares(row, jobs) || first.contains(row.id())));
  }

  private static boolean shares(RequestRow row, Collection<String> jobs) {
    return row.job() != null && live(row) && jobs.contains(row.job());
  }

  private static boolean live(RequestRow row) {
    return row.attached() && !row.cached();
  }

  List<String> sharedAmong(Collection<String> jobs) {
    return where(jobs, tables.requests.values(), row -> shares(row, jobs)).stream()
        .map(RequestRow::job)
        .distinct()
        .toList();
  }

  List<String> sharers(String job, String after, int limit) {
    return tables.requests.values().stream()
        .filter(row -> live(row) && job.equals(row.job()) && row.id().compareTo(after) > 0)
        .map(RequestRow::id)
        .limit(limit)
        .toList();
  }

  List<GroupBudget> lockBudgets(Collection<String> groups) {
    List<GroupBudget> rows =
        new TreeSet<>(groups).stream().map(tables.budgets::get).filter(Objects::nonNull).toList();
    rows.forEach(row -> locks.lock(this, "budget " + row.group()));
    return rows;
  }

  // --- dependencies

  void lockCycles() {
    locks.lock(this, "cycles");
  }

  List<String> dependedOnAmong(Collection<String> requests) {
    Set<String> among = new LinkedHashSet<>();
    for (DependencyRow edge : tables.dependencies) {
      if (requests.contains(edge.dependsOn())) {
        among.add(edge.dependsOn());
      }
    }
    return List.copyOf(among);
  }

  List<DependencyRow> dependenciesOn(String request, int limit) {
    return tables.dependencies.stream()
        .filter(edge -> edge.dependsOn().equals(request))
        .sorted(java.util.Comparator.comparing(DependencyRow::dependent))
        .limit(limit)
        .toList();
  }

  List<DependencyRow> reachableFrom(Collection<String> requests) {
    Set<DependencyRow> reach = new LinkedHashSet<>();
    Set<String> next = new LinkedHashSet<>(requests);
    while (!next.isEmpty()) {
      Set<String> further = new LinkedHashSet<>();
      for (DependencyRow edge : tables.dependencies) {
        if (next.contains(edge.dependent()) && reach.add(edge)) {
          further.add(edge.dependsOn());
        }
      }
      next = further;
    }
    return List.copyOf(reach);
  }

  List<DependencyRow> neverPosted(Collection<String> requests) {
    List<DependencyRow> first = new ArrayList<>();
    for (String request : requests) {
      tables.dependencies.stream()
          .filter(edge -> edge.dependent().equals(request))
          .filter(edge -> !tables.isPosted(edge.dependsOn()))
          .min(java.util.Comparator.comparing(DependencyRow::dependsOn))
          .ifPresent(first::add);
    }
    return first;
  }

  // --- the rest

  Tables tables() {
    return tables;
  }

  List<AttemptRow> attemptsOf(Collection<String> jobs) {
    return where(jobs, tables.attempts.values(), row -> jobs.contains(row.job()));
  }

  List<AttemptRow> allAttempts() {
    return List.copyOf(tables.attempts.values());
  }

  Optional<HostRow> lockHost(String host) {
    Optional<HostRow> row = Optional.ofNullable(tables.hosts.get(host));
    row.ifPresent(known -> locks.lock(this, "host " + host));
    return row;
  }

  List<HostRow> allHosts() {
    return List.copyOf(tables.hosts.values());
  }

  List<HostRow> listedHosts() {
    return tables.hosts.values().stream()
        .filter(
            host ->
                !tables.unlisted.contains(host.id())
                    || host.state() == HostRow.State.UP
                    || host.unsettled())
        .toList();
  }

  /** Whether nobody has acted on this control message yet; from now on somebody has. */
  boolean firstControl(String message) {
    locks.lock(this, "control " + message);
    writes.add(() -> tables.controls.add(message));
    return !tables.controls.contains(message);
  }

  boolean has(Defect defect) {
    return defects.contains(defect);
  }

  /** Of defects of what passes read; they alone read hosts while they hold the fleet. */
  boolean passHas(Defect defect) {
    return has(defect) && locks.holds(this, "fleet");
  }

  /** Who reads what is noted of passes. */
  SimTransaction by(SimStore store) {
    reader = store;
    return this;
  }

  /** What a pass goes by: kept, since the tables change before it commits. */
  void see() {
    see(allAttempts());
  }

  /** What goes by what is remembered of the fleet. */
  void seeRemembered() {
    see(reader.remembered());
  }

  private void see(List<AttemptRow> open) {
    if (locks.holds(this, "fleet") || has(Defect.PLACE_WITHOUT_FLEET)) {
      seen =
          new Seen(
              allHosts(),
              reader.heardFailures(),
              tables.hosts.keySet().stream().filter(reader::hears).collect(Collectors.toSet()),
              open);
    }
  }

  /** Its reader is told which jobs could not be started. */
  void hearFailures() {
    heard = Optional.of(tables.launchFailures);
  }

  Optional<List<LaunchFailure>> heard() {
    return heard;
  }

  Seen seen() {
    return seen;
  }

  /** A fan-out that nobody else works on, until this transaction is over. */
  Optional<FanOutRow.Key> claimFanOut(Collection<FanOutRow.Key> except) {
    Optional<FanOutRow.Key> key =
        tables.fanOuts.keySet().stream()
            .filter(one -> !except.contains(one))
            .filter(one -> locks.free(this, "claim " + one))
            .findFirst();
    key.ifPresent(one -> locks.lock(this, "claim " + one));
    return key;
  }

  Optional<FanOutRow> lockFanOut(FanOutRow.Key key) {
    Optional<FanOutRow> row = Optional.ofNullable(tables.fanOuts.get(key));
    row.ifPresent(one -> locks.lock(this, "fanOut " + key));
    return row;
  }

  /** Whether nobody else holds the fleet. */
  boolean fleetIsFree() {
    return locks.free(this, "fleet");
  }

  /** Locks the fleet; whether its epoch is this one. */
  boolean lockFleet(long epoch) {
    locks.lock(this, "fleet");
    return tables.fleetEpoch == epoch;
  }
}
