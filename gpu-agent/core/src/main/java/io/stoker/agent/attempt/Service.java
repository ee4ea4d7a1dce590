package io.stoker.agent.attempt;

import io.stoker.agent.device.DeviceLedger;
import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.common.message.HostMessage.RunnerState;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.request.RunnerType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The runners and pools that a host serves, and the queues that it serves them to. What is taken of
 * a runner is what is live: it is counted nowhere else.
 *
 * @param processes types whose jobs are processes of this host, counted by devices and CPU slots
 * @param slots jobs at once, of every other type
 * @param machines with GPUs that jobs of such a type are run on, each kind once
 * @param users whose requests it takes; empty for everybody's
 * @param keeps as whom its processes run, and what they are kept from, for people
 */
public record Service(
    Set<RunnerType> processes,
    Map<String, Integer> slots,
    Map<String, List<NodeMachine>> machines,
    List<String> users,
    Optional<String> keeps) {
  /** Processes, for everybody. */
  public static final Service STANDARD =
      new Service(Set.of(RunnerType.CPU, RunnerType.GPU), Map.of(), List.of());

  public Service {
    processes = Set.copyOf(processes);
    slots = Map.copyOf(slots);
    machines = Map.copyOf(machines);
    users = List.copyOf(users);
  }

  public Service(Set<RunnerType> processes, Map<String, Integer> slots, List<String> users) {
    this(processes, slots, Map.of(), users, Optional.empty());
  }

  /** The same with machines that have GPUs. */
  public Service with(Map<String, List<NodeMachine>> withGpus) {
    return new Service(processes, slots, withGpus, users, keeps);
  }

  /** The same with what its processes are kept from. */
  public Service keeping(String what) {
    return new Service(processes, slots, machines, users, Optional.of(what));
  }

  /** Why a placement cannot be taken, if so. */
  Optional<String> refusal(Place place, Collection<LiveAttempt> live) {
    Optional<String> runner = place.workload().runner();
    return runner.flatMap(type -> refusal(type, place.workload(), live));
  }

  private Optional<String> refusal(String type, Workload workload, Collection<LiveAttempt> live) {
    if (!slots.containsKey(type)) {
      return Optional.of(
          "this host does not serve type %s; it serves %s"
              .formatted(type, String.join(", ", types())));
    }
    int most = mostGpus(type);
    if (workload instanceof Workload.Remote remote && remote.gpus().count() > most) {
      return Optional.of(
          "no machine for type %s has %d GPU(s); the most that one has is %d"
              .formatted(type, remote.gpus().count(), most));
    }
    long taken = taken(type, live);
    return taken < slots.get(type)
        ? Optional.empty()
        : Optional.of(
            "%d of the %d slots of runner %s are taken".formatted(taken, slots.get(type), type));
  }

  private List<String> types() {
    return Stream.concat(processes.stream().map(RunnerType::key), slots.keySet().stream())
        .sorted()
        .toList();
  }

  private static long taken(String type, Collection<LiveAttempt> live) {
    return live.stream()
        .filter(attempt -> attempt.workload().runner().filter(type::equals).isPresent())
        .count();
  }

  /** What is offered, in order of the names. */
  List<RunnerOffer> offers(DeviceLedger ledger) {
    return states(ledger, List.of()).stream()
        .map(
            state ->
                machines.containsKey(state.runner())
                    ? new RunnerOffer(
                        state.runner(),
                        state.slots(),
                        mostGpus(state.runner()),
                        machines.get(state.runner()))
                    : new RunnerOffer(state.runner(), state.slots()))
        .toList();
  }

  private int mostGpus(String type) {
    return machines.getOrDefault(type, List.of()).stream()
        .mapToInt(machine -> machine.gpus().size())
        .max()
        .orElse(0);
  }

  /** How it stands, in order of the names. */
  List<RunnerState> states(DeviceLedger ledger, Collection<LiveAttempt> live) {
    return types().stream().map(type -> state(type, ledger, live)).toList();
  }

  private RunnerState state(String type, DeviceLedger ledger, Collection<LiveAttempt> live) {
    if (type.equals(RunnerType.CPU.key())) {
      int free = Math.max(0, ledger.freeCpuSlots());
      return new RunnerState(type, ledger.inventory().cpuSlots(), free);
    }
    if (type.equals(RunnerType.GPU.key())) {
      return new RunnerState(type, ledger.inventory().devices().size(), ledger.freeGpus());
    }
    int all = slots.get(type);
    return new RunnerState(type, all, (int) Math.max(0, all - taken(type, live)));
  }
}
