package io.stoker.e2e.simulation;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.GroupBudget;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.e2e.simulation.Machine.Run;
import io.stoker.e2e.simulation.Machine.Stage;
import io.stoker.e2e.simulation.SimLog.Entry;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What must hold after every step, whatever goes wrong: the invariants of the design. Checked where
 * something can break them: at each commit, at each process that begins, at each status published.
 */
final class Invariants {
  private record Started(int attempt, String host) {}

  private final World world;
  private final Tables tables;
  private final List<Machine> machines;
  private final Map<String, Started> started = new HashMap<>();
  private final Map<String, RequestStatus> shown = new HashMap<>();
  private final Map<String, RequestState> terminal = new HashMap<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Map<String, Long> waitsUntil = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private long retriesOfGroup;
  private final Map<String, RequestStatus> newest = new HashMap<>();

  Invariants(World world, SimDatabase database, List<Machine> machines) {
    this.world = world;
    this.tables = database.tables();
    this.machines = machines;
    database.watch(this::committed);
  }

  private void hold(boolean condition, String message) {
    if (!condition) {
      throw new SimulationFailure(message);
    }
  }

  // --- processes

  /** A process begins. */
  void begins(Machine machine, Run run) {
    try {
      checkBegin(machine, run);
    } catch (SimulationFailure failure) {
      world.broken(failure);
    }
  }

  private void checkBegin(Machine machine, Run begun) {
    String job = begun.place.job();
    String part = job + " rank " + rank(begun);
    Started before = started.get(part);
    for (Machine other : machines) {
      for (Run run : other.runs.values()) {
        hold(
            run == begun
                || run.stage != Stage.ALIVE
                || !run.place.job().equals(job)
                || together(run, begun),
            "two attempts of job "
                + job
                + " run at once: "
                + run.place.attempt()
                + " on "
                + other.name
                + " and "
                + begun.place.attempt()
                + " on "
                + machine.name);
      }
    }
    // A loss of power may take an acceptance from the disk; the same attempt may then begin again.
    boolean rises =
        before == null
            || begun.place.attempt() > before.attempt()
            || (begun.place.attempt() == before.attempt() && before.host().equals(machine.name));
    hold(rises, "attempt " + begun.place.attempt() + " of " + part + " begins after " + before);
    started.put(part, new Started(begun.place.attempt(), machine.name));
    gangIsComplete(begun);
    dependenciesSucceeded(begun);
    roomOn(machine);
  }

  private static int rank(Run run) {
    return run.place.gang() == null ? 0 : run.place.gang().rank();
  }

  /** Members of one gang. */
  private static boolean together(Run run, Run other) {
    return run.place.attempt() == other.place.attempt()
        && run.place.gang() != null
        && rank(run) != rank(other);
  }

  private void gangIsComplete(Run run) {
    for (AttemptRow open : tables.attempts.values()) {
      hold(
          run.place.gang() == null
              || !open.job().equals(run.place.job())
              || open.number() != run.place.attempt()
              || open.accepted(),
          "rank "
              + rank(run)
              + " of job "
              + run.place.job()
              + " begins before "
              + open.host()
              + " has accepted rank "
              + open.rank());
    }
  }

  private void dependenciesSucceeded(Run run) {
    RequestRow first = tables.requests.get(run.place.request());
    for (JobRequest request : FanOut.requests(List.of(first))) {
      for (String dependency : request.dependsOn()) {
        RequestState state = state(tables.requests.get(dependency));
        hold(
            state == RequestState.SUCCEEDED,
            "job "
                + run.place.job()
                + " of "
                + first.id()
                + " begins while its dependency "
                + dependency
                + " is "
                + state);
      }
    }
  }

  private void roomOn(Machine machine) {
    int slots = 0;
    Set<String> devices = new HashSet<>();
    for (Run run : machine.runs.values()) {
      if (run.stage == Stage.ALIVE) {
        slots += run.allocation.cpuSlots();
        for (String device : run.allocation.devices()) {
          hold(devices.add(device), "two processes on " + machine.name + " have device " + device);
        }
      }
    }
    hold(
        slots <= machine.slots,
        slots + " CPU slots are in use on " + machine.name + ", which has " + machine.slots);
  }

  // --- commits

  private void committed(SimTransaction transaction) {
    try {
      for (Ledger ledger : transaction.ledgers()) {
        check(ledger);
      }
    } catch (SimulationFailure failure) {
      world.broken(failure);
    }
  }

  private void check(Ledger ledger) {
    Set<String> requests = new LinkedHashSet<>();
    ledger.requests().inserted().forEach(row -> requests.add(row.id()));
    ledger.requests().updated().forEach(row -> requests.add(row.id()));
    List<JobRow> jobs = new ArrayList<>(ledger.jobs().inserted());
    jobs.addAll(ledger.jobs().updated());
    for (JobRow job : jobs) {
      int last = attempts.getOrDefault(job.id(), 0);
      hold(job.attempt() >= last, "the attempt of job " + job.id() + " falls to " + job.attempt());
      attempts.put(job.id(), job.attempt());
      checkLine(tables.jobs.get(job.id()));
      countRetries(job);
      tables.requests.values().stream()
          .filter(row -> job.id().equals(row.job()))
          .forEach(row -> requests.add(row.id()));
      world.note(
          "database",
          "job "
              + job.id()
              + " "
              + job.state()
              + " "
              + job.role()
              + (job.ending() ? " ending" : "")
              + " attempt "
              + job.attempt()
              + " "
              + job.reason());
    }
    checkBudget();
    ledger.backedOff().forEach(row -> waitsUntil.put(row.job(), row.dueAt()));
    requests.forEach(id -> checkRequest(tables.requests.get(id)));
    if (!ledger.attempts().inserted().isEmpty()) {
      ledger.attempts().inserted().forEach(this::checkOpened);
      ledger.attempts().inserted().forEach(row -> checkWhole(ledger, row));
    }
  }

  /** A queued job stands in line or waits for its next attempt, and not both. */
  private void checkLine(JobRow job) {
    boolean inLine = tables.ready.containsKey(job.id());
    boolean waits = tables.backoffs.containsKey(job.id());
    boolean queued = job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR;
    hold(
        queued ? inLine != waits : !inLine && !waits,
        "job " + job.id() + " is " + job.state() + ", in line " + inLine + ", waits " + waits);
    hold(
        waits == (job.retryAt() != null),
        "job " + job.id() + " waits " + waits + ", but its row says " + job.retryAt());
  }

  private void countRetries(JobRow job) {
    int counted =
        job.failures().entrySet().stream()
            .filter(entry -> entry.getKey() != FailureCategory.HOST_LOST)
            .mapToInt(Map.Entry::getValue)
            .sum();
    boolean failed = counted > failures.getOrDefault(job.id(), 0);
    failures.put(job.id(), counted);
    String group = tables.requests.get(job.firstRequest()).group();
    if (failed && job.state() == JobState.QUEUED && Settings.GROUP.equals(group)) {
      retriesOfGroup++;
    }
  }

  private void checkBudget() {
    GroupBudget budget = tables.budgets.get(Settings.GROUP);
    hold(
        budget.used() == retriesOfGroup && budget.used() <= budget.retries(),
        "the group's jobs were tried again "
            + retriesOfGroup
            + " times, and its limit is "
            + budget);
  }

  private void checkWhole(Ledger ledger, AttemptRow opened) {
    JobRow job = tables.jobs.get(opened.job());
    long members =
        ledger.attempts().inserted().stream().filter(row -> row.job().equals(job.id())).count();
    hold(
        members == (job.gang() == null ? 1 : job.gang().size()),
        "job " + job.id() + " is placed in part: " + members + " of " + job.gang());
  }

  private void checkOpened(AttemptRow opened) {
    long until = waitsUntil.getOrDefault(opened.job(), 0L);
    hold(
        opened.placedAt() >= until,
        "job "
            + opened.job()
            + " is placed at "
            + opened.placedAt()
            + ", and waits until "
            + until);
    int gpus = 0;
    int slots = 0;
    for (AttemptRow open : tables.attempts.values()) {
      if (open.host().equals(opened.host())) {
        gpus += open.gpus();
        slots += open.cpuSlots();
      }
      hold(
          !open.job().equals(opened.job()) || open.number() == opened.number(),
          "job " + open.job() + " has two open attempts");
    }
    var has = tables.hosts.get(opened.host()).resources();
    hold(
        gpus <= has.devices().size() && slots <= has.cpuSlots(),
        "host "
            + opened.host()
            + " is promised beyond what it has: "
            + gpus
            + " GPUs, "
            + slots
            + " slots");
  }

  private void checkRequest(RequestRow row) {
    if (row.isPlaceholder()) {
      return;
    }
    RequestState state = state(row);
    RequestState end = terminal.get(row.id());
    hold(
        end == null || end == state,
        "request " + row.id() + " was " + end + " for good, and is now " + state);
    if (state.terminal()) {
      terminal.put(row.id(), state);
    }
    RequestStatus before = shown.get(row.id());
    RequestStatus now = StatusView.of(row, job(row), 0).orElseThrow();
    if (before != null && !now.equals(before)) {
      hold(
          now.version() > before.version(),
          "request " + row.id() + " changes without a higher version: " + before + " to " + now);
    }
    shown.put(row.id(), now);
  }

  private Optional<JobRow> job(RequestRow row) {
    return Optional.ofNullable(row.job()).map(tables.jobs::get);
  }

  private RequestState state(RequestRow row) {
    if (row.ended() != null) {
      return row.ended();
    }
    return job(row).map(job -> job.state().shown()).orElse(RequestState.WAITING);
  }

  // --- statuses

  /** Checks what a consumer sees, that drops what is not newer than what it has. */
  void published(Entry entry) {
    RequestStatus status = (RequestStatus) entry.value();
    RequestStatus last = newest.get(status.id());
    if (last == null || status.version() > last.version()) {
      hold(
          last == null
              || !last.state().terminal()
              || last.state() == status.state()
              || last.state() == RequestState.REJECTED,
          "the topic says of " + status.id() + " " + status.state() + " after " + last);
      newest.put(status.id(), status);
    }
  }

  // --- at rest

  /** What is not at rest yet, if anything. */
  Optional<String> unrest() {
    for (RequestRow row : tables.requests.values()) {
      if (!row.isPlaceholder() && !state(row).terminal()) {
        return Optional.of("request " + row.id() + " is " + state(row));
      }
    }
    if (!tables.attempts.isEmpty()) {
      return Optional.of("open attempts: " + tables.attempts.values());
    }
    if (!tables.ready.isEmpty()) {
      return Optional.of("jobs in line: " + tables.ready.keySet());
    }
    if (!tables.backoffs.isEmpty()) {
      return Optional.of("jobs wait for their next attempt: " + tables.backoffs.keySet());
    }
    if (!tables.due.isEmpty()) {
      return Optional.of("statuses are owed: " + tables.due.keySet());
    }
    if (!tables.fanOuts.isEmpty()) {
      return Optional.of("fan-outs are left: " + tables.fanOuts.keySet());
    }
    for (Machine machine : machines) {
      for (Run run : machine.runs.values()) {
        if (run.stage == Stage.ALIVE) {
          return Optional.of("a process runs on " + machine.name + ": " + Machine.key(run));
        }
      }
    }
    return Optional.empty();
  }

  /** When all is at rest: nothing was lost, and the topic tells the truth. */
  void atRest(Map<String, JobRequest> posted, List<Partition> status) {
    Map<String, Entry> last = new HashMap<>();
    for (Partition partition : status) {
      for (int i = 0; i < partition.end(); i++) {
        last.put(partition.at(i).key(), partition.at(i));
      }
    }
    for (String id : posted.keySet()) {
      RequestRow row = tables.requests.get(id);
      boolean accepted = row != null && !row.isPlaceholder();
      hold(last.containsKey(id), "nothing is said of request " + id);
      RequestStatus said = (RequestStatus) last.get(id).value();
      if (!accepted) {
        hold(said.state() == RequestState.REJECTED, "request " + id + " is lost: " + said);
        continue;
      }
      RequestStatus now = StatusView.of(row, job(row), 0).orElseThrow();
      RequestStatus seen = newest.get(id);
      hold(
          seen.version() == now.version() && seen.state() == now.state(),
          "the newest status of " + id + " was never published: " + seen + ", but it is " + now);
      // A publisher that dies between its sending and its second look can leave an older one last.
      hold(
          said.version() == now.version() || last.get(id).from().over(),
          "the last status of " + id + " is not its newest: " + said + ", but it is " + now);
    }
    Set<String> fingerprints = new HashSet<>();
    for (JobRow job : tables.jobs.values()) {
      hold(
          job.role() == JobRow.Role.NONE || fingerprints.add(job.fingerprint()),
          "two jobs answer for the fingerprint of " + job.id());
    }
  }
}
