package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.gate.GatePass;
import io.stoker.agent.gate.GatePass.Gpu;
import io.stoker.agent.gate.GatePass.Need;
import io.stoker.agent.gate.GatePass.Step;
import io.stoker.agent.gate.GatePass.Waiter;
import io.stoker.agent.gate.Gates;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.staged.Stage;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Gpus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The attempts of a host that wait at gates, or have passed them, as the gates see them. */
final class PendingAttempts {
  private final AgentState state;
  private final AgentRules rules;
  private final DeviceLedger ledger;
  private final Map<String, LiveAttempt> staged = new LinkedHashMap<>();
  private final Map<String, LiveAttempt> gated = new LinkedHashMap<>();

  PendingAttempts(AgentState state, AgentRules rules) {
    this(state, rules, state.ledger);
  }

  private PendingAttempts(AgentState state, AgentRules rules, DeviceLedger ledger) {
    this.state = state;
    this.rules = rules;
    this.ledger = ledger;
    state.live.forEach(
        (key, attempt) -> {
          if (attempt.stages().isPresent()) {
            staged.put(key.toString(), attempt);
          } else if (gated(attempt.place(), rules)
              && !attempt.awaitsGang()
              && !attempt.heldBehindSlots()) {
            gated.put(key.toString(), attempt);
          }
        });
  }

  boolean any() {
    return !staged.isEmpty() || !gated.isEmpty();
  }

  /** Whether a job that is not staged has to wait at the gates. */
  static boolean gated(Place place, AgentRules rules) {
    return place.workload() instanceof Workload.Started started
        && (rules.staging().gates().allJobs() || started.program().gated());
  }

  LiveAttempt attempt(String name) {
    LiveAttempt attempt = staged.get(name);
    return attempt == null ? gated.get(name) : attempt;
  }

  /** Why it can never run here, if so. */
  Optional<String> neverServes(Gpus asked) {
    if (asked.count() == 0) {
      return Optional.empty();
    }
    List<Device> devices = ledger.inventory().devices();
    long needed = cudaMemory(asked, rules);
    Optional<String> pinned = pinned(asked);
    boolean serves =
        devices.stream()
            .filter(device -> pinned.isEmpty() || device.id().equals(pinned.get()))
            .anyMatch(device -> device.memoryTotal() >= needed);
    return serves
        ? Optional.empty()
        : Optional.of(
            "a device%s with %d bytes asked for, and this host offers %s"
                .formatted(
                    asked.device().map(id -> " '" + id + "'").orElse(""),
                    needed,
                    ledger.inventory().sentence()));
  }

  /** Why nobody more can be held here, if so. */
  Optional<String> full() {
    int most = rules.staging().gates().maxWaiting();
    long held =
        count(Stage.WAITING) + waiting() + gated.values().stream().filter(this::held).count();
    return most > 0 && held >= most
        ? Optional.of("%d jobs wait here, of at most %d".formatted(held, most))
        : Optional.empty();
  }

  GatePass.Outcome decide(HostLoad load) {
    List<Waiter> waiters = new ArrayList<>();
    long arrival = 0;
    for (LiveAttempt attempt : staged.values()) {
      step(attempt, arrival++).ifPresent(waiters::add);
    }
    for (LiveAttempt attempt : gated.values()) {
      if (held(attempt)) {
        waiters.add(whole(attempt, arrival++));
      }
    }
    return gates(load).decide(waiters);
  }

  /**
   * Jobs that start as a whole and wait, each with a device on which a process could train that has
   * loaded. While nothing else ends, they would wait for each other for ever: the one for what that
   * process keeps, and the process for the device.
   */
  List<LiveAttempt> inTheWay(HostLoad load) {
    List<LiveAttempt> idle =
        gated.values().stream()
            .filter(one -> held(one) && !one.allocation().devices().isEmpty())
            .toList();
    if (idle.isEmpty() || training() > 0) {
      return List.of();
    }
    DeviceLedger without = ledger;
    for (LiveAttempt attempt : idle) {
      without = without.release(attempt.allocation().holder());
    }
    return new PendingAttempts(state, rules, without)
        .trainsOn(load)
        .map(device -> idle.stream().filter(one -> one.allocation().devices().contains(device)))
        .orElse(Stream.empty())
        .toList();
  }

  /** The device on which the first of those that have loaded may train. */
  private Optional<String> trainsOn(HostLoad load) {
    List<Waiter> loaded = new ArrayList<>();
    for (LiveAttempt attempt : staged.values()) {
      step(attempt, loaded.size()).filter(one -> one.step() == Step.TRAIN).ifPresent(loaded::add);
    }
    return gates(load).decide(loaded).grants().stream().findFirst().flatMap(GatePass.Grant::device);
  }

  private GatePass gates(HostLoad load) {
    return new GatePass(
        new Gates(rules.staging().gates()), load, gpus(), pending(), (int) waiting(), training());
  }

  private int training() {
    long running = gated.values().stream().filter(one -> !held(one)).count();
    return (int) (running + staged.values().stream().filter(one -> stage(one).trains()).count());
  }

  private Optional<Waiter> step(LiveAttempt attempt, long arrival) {
    boolean runs = attempt.phase() instanceof Phase.Running;
    Optional<Step> step =
        switch (stage(attempt)) {
          case WAITING ->
              attempt.phase() instanceof Phase.Waiting ? Optional.of(Step.START) : Optional.empty();
          case AVAILABLE -> runs ? Optional.of(Step.LOAD) : Optional.empty();
          case HOLDING -> runs ? Optional.of(Step.TRAIN) : Optional.empty();
          default -> Optional.empty();
        };
    return step.map(what -> waiter(attempt, what, arrival, need(attempt), List.of()));
  }

  private Waiter waiter(LiveAttempt attempt, Step step, long arrival, Need gpu, List<Gpu> own) {
    int priority = attempt.place().priority();
    String name = attempt.key().toString();
    return new Waiter(name, step, priority, arrival, memory(attempt), gpu, own);
  }

  private Need need(LiveAttempt attempt) {
    Workload.Share share = attempt.workload().share();
    Gpus asked = share.gpus();
    long memory = cudaMemory(asked, rules);
    return new Need(asked.count() > 0, memory, pinned(asked), !asked.shared(), avoided(share));
  }

  /** Devices that failed its job before, as long as another one could ever serve. */
  private Set<String> avoided(Workload.Share share) {
    if (share.avoid().isEmpty() || share.gpus().device().isPresent()) {
      return Set.of();
    }
    Set<String> failed =
        share.avoid().stream().map(ledger.inventory()::idOf).collect(Collectors.toSet());
    long needed = cudaMemory(share.gpus(), rules);
    boolean others =
        ledger.inventory().devices().stream()
            .filter(device -> !ledger.quarantined().containsKey(device.id()))
            .filter(device -> device.memoryTotal() >= needed)
            .anyMatch(device -> !failed.contains(device.id()));
    return others ? failed : Set.of();
  }

  private boolean held(LiveAttempt attempt) {
    return attempt.phase() instanceof Phase.Waiting && !state.admitted.contains(attempt.key());
  }

  /** One that has its devices and starts as a whole. */
  private Waiter whole(LiveAttempt attempt, long arrival) {
    Allocation given = attempt.allocation();
    List<Gpu> own =
        given.devices().stream()
            .filter(ledger.inventory()::has)
            .map(id -> before(id, given.memory().orElse(0)))
            .toList();
    return waiter(attempt, Step.RUN, arrival, need(attempt), own);
  }

  private Gpu before(String id, long promised) {
    Gpu now = gpu(ledger.inventory().device(id));
    return new Gpu(
        id, now.total(), now.free().map(left -> left + promised), now.holders(), now.taken());
  }

  private List<Gpu> gpus() {
    return rules
        .staging()
        .gpus()
        .order(
            ledger.inventory().devices(),
            device -> ledger.headroom(device.id()).orElse(device.memoryTotal()))
        .stream()
        .map(this::gpu)
        .toList();
  }

  private Gpu gpu(Device device) {
    List<Allocation> holders = ledger.holdersOf(device.id());
    OptionalLong free = ledger.headroom(device.id());
    boolean out = ledger.quarantined().containsKey(device.id());
    return new Gpu(
        device.id(),
        device.memoryTotal(),
        free.isPresent() ? Optional.of(free.getAsLong()) : Optional.empty(),
        holders.size(),
        out || holders.stream().anyMatch(Allocation::exclusive));
  }

  /** What was granted and does not show yet. */
  private long pending() {
    return Stream.concat(
            staged.values().stream().filter(attempt -> stage(attempt) == Stage.LOADING),
            gated.values().stream().filter(attempt -> !held(attempt)))
        .mapToLong(
            attempt ->
                Math.max(
                    0, memory(attempt) - state.resident.getOrDefault(attempt.key().toString(), 0L)))
        .sum();
  }

  private long waiting() {
    return staged.values().stream().filter(attempt -> stage(attempt).waits()).count();
  }

  private long count(Stage wanted) {
    return staged.values().stream().filter(attempt -> stage(attempt) == wanted).count();
  }

  private static Stage stage(LiveAttempt attempt) {
    return attempt.stages().orElseThrow().stage();
  }

  private long memory(LiveAttempt attempt) {
    return attempt.place().program().memory().orElse(rules.staging().gates().defaultMemory());
  }

  static long cudaMemory(Gpus asked, AgentRules rules) {
    return asked.memory().orElse(rules.staging().gates().defaultCudaMemory());
  }

  /** The only device that will do, if it names one. */
  private Optional<String> pinned(Gpus asked) {
    return asked.device().map(ledger.inventory()::idOf);
  }
}
