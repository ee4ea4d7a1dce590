package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.staged.StageTimes;
import io.stoker.common.message.AttemptEvent.Usage;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Adds up what attempts take, from samples. Soft state: after a restart of the agent it begins
 * anew, and peaks before are lost. What ends between two samples has what the kernel counted.
 */
final class UsageMeter {
  private static final long MICRO_PER_MILLI = 1_000;

  private final Map<AttemptKey, Taken> taken = new HashMap<>();
  private final Map<String, Long> counters = new HashMap<>();
  private OptionalLong last = OptionalLong.empty();

  private static final class Taken {
    private Long cpuMs;
    private Long memory;
    private Long gpuMemory;
    private double gpuMs;
    private double busy;
    private double busyOver;
    private double energyMj;
    private boolean energyKnown;
    private Boolean silent;
    private String kept;
  }

  /** Takes note of a sample. */
  void sample(
      Input.Sampled sampled, Collection<LiveAttempt> live, Inventory inventory, long nowMs) {
    Map<String, OptionalLong> energies = new HashMap<>();
    long since = last.isPresent() ? nowMs - last.getAsLong() : 0;
    sampled.devices().forEach((id, device) -> energies.put(id, energy(id, device, since)));
    for (LiveAttempt attempt : live) {
      attempt
          .phase()
          .process()
          .ifPresent(
              process -> {
                long during = Math.min(since, Math.max(0, nowMs - process.startedBootMs()));
                Taken so = taken.computeIfAbsent(attempt.key(), key -> new Taken());
                run(so, sampled.runs().get(attempt.key().toString()));
                devices(so, attempt, sampled.devices(), inventory, during);
                // What a device took before the attempt began is not its.
                double part = since == 0 ? 0 : (double) during / since;
                for (String id : attempt.allocation().devices()) {
                  so.gpuMs += share(attempt.allocation(), id, inventory) * during;
                  OptionalLong more = energies.getOrDefault(id, OptionalLong.empty());
                  if (more.isPresent()) {
                    so.energyKnown = true;
                    so.energyMj +=
                        part * share(attempt.allocation(), id, inventory) * more.getAsLong();
                  }
                }
              });
    }
    last = OptionalLong.of(nowMs);
  }

  /** What the kernel says at its end, which no sample can know better: it took at least that. */
  void ended(AttemptKey key, RunUsage usage) {
    run(
        taken.computeIfAbsent(key, same -> new Taken()),
        OptionalLong.of(usage.cpuMs()),
        usage.memory());
  }

  /** It has printed nothing. */
  void silent(AttemptKey key) {
    taken.computeIfAbsent(key, same -> new Taken()).silent = true;
  }

  /** What it was kept in. */
  void kept(AttemptKey key, String what) {
    taken.computeIfAbsent(key, same -> new Taken()).kept = what;
  }

  private static void run(Taken so, OptionalLong cpuMs, OptionalLong memory) {
    cpuMs.ifPresent(ms -> so.cpuMs = Math.max(so.cpuMs == null ? 0 : so.cpuMs, ms));
    memory.ifPresent(bytes -> so.memory = Math.max(so.memory == null ? 0 : so.memory, bytes));
  }

  private static void run(Taken so, RunSample run) {
    if (run != null) {
      run(so, OptionalLong.of(run.cpuMs()), OptionalLong.of(run.memory()));
    }
  }

  private static void devices(
      Taken so,
      LiveAttempt attempt,
      Map<String, DeviceSample> devices,
      Inventory inventory,
      long during) {
    long used = 0;
    boolean seen = false;
    for (String id : attempt.allocation().devices()) {
      DeviceSample device = devices.get(id);
      if (device == null) {
        continue;
      }
      Long bytes = device.usedByHolder().get(attempt.key().toString());
      if (bytes != null) {
        used += bytes;
        seen = true;
      }
      if (device.gpuPercent().isPresent()) {
        so.busy += (double) device.gpuPercent().getAsInt() * during;
        so.busyOver += during;
      }
    }
    if (seen) {
      so.gpuMemory = Math.max(so.gpuMemory == null ? 0 : so.gpuMemory, used);
    }
  }

  /** Since the last sample. A counter that began again, or is not there, gives way to the power. */
  private OptionalLong energy(String id, DeviceSample device, long since) {
    Long before =
        device.energyMj().isPresent()
            ? counters.put(id, device.energyMj().getAsLong())
            : counters.remove(id);
    if (before != null
        && device.energyMj().isPresent()
        && device.energyMj().getAsLong() >= before) {
      return OptionalLong.of(device.energyMj().getAsLong() - before);
    }
    return device.powerMw().isPresent()
        ? OptionalLong.of(device.powerMw().getAsLong() * since / MICRO_PER_MILLI)
        : OptionalLong.empty();
  }

  private static double share(Allocation given, String id, Inventory inventory) {
    if (given.exclusive() || given.memory().isEmpty() || !inventory.has(id)) {
      return 1;
    }
    long total = inventory.device(id).memoryTotal();
    return total <= 0 ? 1 : Math.min(1, (double) given.memory().getAsLong() / total);
  }

  /** A staged attempt has its device for a part of its time only: as often as that was seen. */
  private static Long gpuMs(LiveAttempt attempt, Taken so, Inventory inventory, long wall) {
    Allocation given = attempt.allocation();
    if (attempt.stages().isPresent()) {
      return attempt.workload().share().gpus().count() > 0 ? Math.round(so.gpuMs) : null;
    }
    return given.devices().isEmpty()
        ? null
        : Math.round(
            given.devices().stream().mapToDouble(id -> share(given, id, inventory)).sum() * wall);
  }

  /** All that an attempt took, which ends now; null if it never had a process. */
  Usage of(LiveAttempt attempt, Inventory inventory, long nowMs) {
    Taken so = taken.remove(attempt.key());
    if (attempt.phase().process().isEmpty()) {
      return null;
    }
    RunProcess process = attempt.phase().process().get();
    // After a reboot the clock has begun anew.
    long wall = Math.max(0, nowMs - process.startedBootMs());
    Taken known = so == null ? new Taken() : so;
    Long gpuMs = gpuMs(attempt, known, inventory, wall);
    Optional<StageTimes> stages =
        attempt.stages().map(last -> last.times().until(last.stage(), nowMs));
    return new Usage(
        wall,
        known.cpuMs,
        known.memory,
        known.gpuMemory,
        known.busyOver > 0 ? (int) Math.round(known.busy / known.busyOver) : null,
        gpuMs,
        known.energyKnown ? Math.round(known.energyMj) : null,
        Math.max(0, process.startedAt() - attempt.acceptance().at()),
        stages.map(StageTimes::loadMs).orElse(null),
        stages.map(StageTimes::trainMs).orElse(null),
        known.silent,
        known.kept);
  }
}
