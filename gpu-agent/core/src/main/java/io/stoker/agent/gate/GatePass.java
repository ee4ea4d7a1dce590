package io.stoker.agent.gate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One look at all that waits on a host: who may start, load or train now, by priority and then
 * arrival. What is granted counts at once, for those who come after. Nobody is held back by
 * somebody else's refusal.
 */
public final class GatePass {
  private final Gates gates;
  private final HostLoad load;
  private final List<Gpu> gpus;
  private long granted;
  private int waiting;
  private int training;
  private boolean loaded;

  /** What is waited for. */
  public enum Step {
    START,
    LOAD,
    TRAIN,
    /** All at once, of a job that is not staged and has its devices already. */
    RUN
  }

  /**
   * Somebody who waits.
   *
   * @param arrival order of arrival
   * @param memory bytes of host memory that it needs to load
   * @param gpu what it needs to train
   * @param own the devices that it has already, with what was free before they were promised to it
   */
  public record Waiter(
      String name, Step step, int priority, long arrival, long memory, Need gpu, List<Gpu> own) {}

  /**
   * The device that somebody needs to train.
   *
   * @param any whether it trains on a device at all
   * @param memory bytes
   * @param only the only device that will do, if any
   * @param alone whether nobody else may have the device
   * @param avoid devices on which it does not train
   */
  public record Need(
      boolean any, long memory, Optional<String> only, boolean alone, Set<String> avoid) {}

  /**
   * A device as it is now.
   *
   * @param free bytes, less what was granted and is not used yet; empty if not measured yet
   * @param holders of whom it is
   * @param taken whether somebody has it alone, or it is out of use
   */
  public record Gpu(String id, long total, Optional<Long> free, int holders, boolean taken) {
    private Gpu with(long bytes, boolean alone) {
      return new Gpu(id, total, free.map(left -> left - bytes), holders + 1, taken || alone);
    }
  }

  /**
   * @param device for a training on a GPU
   */
  public record Grant(String name, Step step, Optional<String> device) {}

  /** What came of it; everybody is in one of the two. */
  public record Outcome(List<Grant> grants, Map<String, Refusal> refusals) {}

  /**
   * @param gpus the preferred first
   * @param granted bytes of host memory that were granted and are not used yet
   * @param waiting processes before their training
   * @param training processes that train
   */
  public GatePass(
      Gates gates, HostLoad load, List<Gpu> gpus, long granted, int waiting, int training) {
    this.gates = gates;
    this.load = load;
    this.gpus = new ArrayList<>(gpus);
    this.granted = granted;
    this.waiting = waiting;
    this.training = training;
  }

  /** Decides on all who wait. */
  public Outcome decide(List<Waiter> pending) {
    loaded = pending.stream().anyMatch(waiter -> waiter.step() == Step.TRAIN);
    List<Grant> grants = new ArrayList<>();
    Map<String, Refusal> refusals = new LinkedHashMap<>();
    pending.stream()
        .sorted(
            Comparator.comparingInt(Waiter::priority).reversed().thenComparingLong(Waiter::arrival))
        .forEach(
            waiter -> {
              Optional<Refusal> refusal =
                  switch (waiter.step()) {
                    case START -> start();
                    case LOAD -> load(waiter);
                    case TRAIN -> train(waiter, grants);
                    case RUN -> run(waiter);
                  };
              if (refusal.isPresent()) {
                refusals.put(waiter.name(), refusal.get());
              } else if (waiter.step() != Step.TRAIN) {
                grants.add(new Grant(waiter.name(), waiter.step(), Optional.empty()));
              }
            });
    return new Outcome(grants, refusals);
  }

  private Optional<Refusal> start() {
    Optional<Refusal> refusal = gates.cpu(load).or(() -> gates.start(waiting, training));
    if (refusal.isEmpty()) {
      waiting++;
    }
    return refusal;
  }

  /**
   * Whether none of the host's jobs has memory of it. One that has not loaded all yet may be
   * missed: what it has shows in what is free.
   */
  private boolean nobodyHasMemory() {
    return granted == 0 && training == 0 && !loaded;
  }

  private Optional<Refusal> load(Waiter waiter) {
    Optional<Refusal> refusal =
        gates.cpu(load).or(() -> gates.memory(load, granted, waiter.memory(), nobodyHasMemory()));
    if (refusal.isEmpty()) {
      granted += waiter.memory();
    }
    return refusal;
  }

  private Optional<Refusal> run(Waiter waiter) {
    Optional<Refusal> refusal =
        gates
            .cpu(load)
            .or(() -> gates.start(waiting, training))
            .or(() -> gates.memory(load, granted, waiter.memory(), nobodyHasMemory()));
    for (Gpu gpu : waiter.own()) {
      refusal = refusal.or(() -> gpuMemory(gpu, waiter.gpu().memory(), gpu.holders() <= 1));
    }
    if (refusal.isEmpty()) {
      training++;
      granted += waiter.memory();
    }
    return refusal;
  }

  private Optional<Refusal> gpuMemory(Gpu gpu, long required, boolean alone) {
    return gpu.free().isEmpty()
        ? Optional.of(new Refusal(Gate.DEVICE, "device %s is not measured yet".formatted(gpu.id())))
        : gates.gpuMemory(gpu.id(), gpu.total(), gpu.free().get(), required, alone);
  }

  private Optional<Refusal> train(Waiter waiter, List<Grant> grants) {
    Optional<Refusal> refusal = gates.cpu(load);
    if (refusal.isPresent()) {
      return refusal;
    }
    if (!waiter.gpu().any()) {
      trains(waiter, Optional.empty(), grants);
      return Optional.empty();
    }
    for (int i = 0; i < gpus.size(); i++) {
      Gpu gpu = gpus.get(i);
      if (!waiter.gpu().only().map(gpu.id()::equals).orElse(true)) {
        continue;
      }
      if (waiter.gpu().avoid().contains(gpu.id())) {
        refusal = refusal.or(() -> Optional.of(avoided(gpu)));
        continue;
      }
      Optional<Refusal> no = on(gpu, waiter);
      if (no.isEmpty()) {
        gpus.set(i, gpu.with(waiter.gpu().memory(), waiter.gpu().alone()));
        trains(waiter, Optional.of(gpu.id()), grants);
        return Optional.empty();
      }
      refusal = refusal.isEmpty() ? no : refusal;
    }
    return refusal.or(
        () -> Optional.of(new Refusal(Gate.DEVICE, "no " + wanted(waiter) + " is offered here")));
  }

  private static Refusal avoided(Gpu gpu) {
    return new Refusal(Gate.DEVICE, "device %s has failed it before".formatted(gpu.id()));
  }

  private void trains(Waiter waiter, Optional<String> device, List<Grant> grants) {
    grants.add(new Grant(waiter.name(), Step.TRAIN, device));
    waiting--;
    training++;
  }

  private static String wanted(Waiter waiter) {
    return waiter.gpu().only().map(id -> "device " + id).orElse("device");
  }

  private Optional<Refusal> on(Gpu gpu, Waiter waiter) {
    if (gpu.taken() || (waiter.gpu().alone() && gpu.holders() > 0)) {
      String who = gpu.holders() + (gpu.holders() == 1 ? " holder" : " holders");
      return Optional.of(
          new Refusal(
              Gate.DEVICE,
              "device %s is %s".formatted(gpu.id(), gpu.holders() > 0 ? "taken: " + who : "out")));
    }
    return gpuMemory(gpu, waiter.gpu().memory(), gpu.holders() == 0);
  }
}
