package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.simulation.Machine.Run;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of every process that begins. */
final class ProcessRules {
  private record Started(int attempt, String host) {}

  private final Tables tables;
  private final List<Machine> machines;
  private final Map<String, Started> started = new HashMap<>();
  private boolean everRestored;

  ProcessRules(Tables tables, List<Machine> machines) {
    this.tables = tables;
    this.machines = machines;
  }

  void check(Machine machine, Run begun) {
    String job = begun.place.job();
    String part = job + " rank " + rank(begun);
    Started before = started.get(part);
    for (Machine other : machines) {
      for (Run run : other.running().toList()) {
        hold(
            run.place.job().equals(job) || !run.place.request().equals(begun.place.request()),
            "request %s runs as job %s on %s and as job %s on %s at once",
            begun.place.request(),
            run.place.job(),
            other.name,
            job,
            machine.name);
        hold(
            run == begun || !run.place.job().equals(job) || together(run, begun),
            "two attempts of job %s run at once: %s on %s and %s on %s",
            job,
            run.place.attempt(),
            other.name,
            begun.place.attempt(),
            machine.name);
      }
    }
    // A loss of power may take an acceptance from the disk, and a copy of the disk may not know
    // that
    // it began; the same attempt may then begin again.
    boolean rises =
        before == null
            || begun.place.attempt() > before.attempt()
            || (begun.place.attempt() == before.attempt() && before.host().equals(machine.host));
    hold(rises, "attempt %s of %s begins after %s", begun.place.attempt(), part, before);
    started.put(part, new Started(begun.place.attempt(), machine.host));
    gangIsComplete(begun);
    conditionsHold(begun);
    isOpen(machine, begun);
    roomOn(machine);
  }

  /** Whether a process of this attempt of the job, or of a later one, has begun. */
  boolean hasBegun(String job, int attempt) {
    return started.entrySet().stream()
        .anyMatch(
            one -> one.getKey().startsWith(job + " rank ") && one.getValue().attempt() >= attempt);
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
          "rank %s of job %s begins before %s has accepted rank %s",
          rank(run),
          run.place.job(),
          open.host(),
          open.rank());
    }
  }

  private void conditionsHold(Run run) {
    if (isLost(run)) {
      return;
    }
    RequestRow first = tables.requests.get(run.place.request());
    StoredRequest.readable(first).ifPresent(request -> conditionsHold(run, request));
  }

  private void conditionsHold(Run run, JobRequest request) {
    for (Dependency dependency : request.dependencies()) {
      RequestState state = tables.state(tables.requests.get(dependency.id()));
      hold(
          state.terminal() && dependency.condition().metBy(state),
          "job %s of %s begins while its dependency %s is %s",
          run.place.job(),
          request.id(),
          dependency,
          state);
    }
  }

  /** It was placed by tables that are no more: what it depends on had succeeded in those. */
  private boolean isLost(Run run) {
    return everRestored
        && tables.attempts.values().stream()
            .noneMatch(
                open -> open.job().equals(run.place.job()) && open.number() == run.place.attempt());
  }

  /** The tables are as they were before. */
  void restored() {
    everRestored = true;
  }

  private void isOpen(Machine machine, Run run) {
    hold(
        everRestored
            || tables.attempts.containsKey(
                new AttemptRow.Key(run.place.job(), run.place.attempt(), rank(run))),
        "%s begins on %s, and is closed",
        Machine.key(run),
        machine.name);
  }

  /** Nothing is used beyond what a machine has. */
  void roomOn(Machine machine) {
    int slots = machine.holdings().mapToInt(Machine.Holding::cpuSlots).sum();
    Set<String> alone = new HashSet<>();
    Map<String, Long> promised = new HashMap<>();
    for (Machine.Holding held : machine.holdings().toList()) {
      for (String device : held.devices()) {
        boolean shares = held.shared().isPresent();
        hold(
            !alone.contains(device) && (shares || !promised.containsKey(device)),
            "two processes on %s have device %s",
            machine.name,
            device);
        long bytes =
            shares
                ? promised.merge(device, held.shared().getAsLong(), Long::sum)
                : MachineMemory.OF_GPU;
        hold(
            bytes <= MachineMemory.OF_GPU,
            "processes on %s were promised beyond device %s",
            machine.name,
            device);
        if (!shares) {
          alone.add(device);
        }
      }
    }
    hold(
        slots <= machine.slots,
        "%s CPU slots are in use on %s, which has %s",
        slots,
        machine.name,
        machine.slots);
  }
}
