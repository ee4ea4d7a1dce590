package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.Takes.OnGpus;
import io.stoker.dispatcher.model.Takes.OnHost;
import io.stoker.dispatcher.model.Takes.OnPool;
import io.stoker.dispatcher.model.Takes.OnSlots;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A host while a pass gives from it. */
final class HostCapacity {
  private final Host host;
  private final GpuCapacity sharing;
  private int gpus;
  private int slots;
  private int placements;
  private int staged;
  private int ahead;
  private long aheadMs;
  private final MemoryCapacity memory;
  private final Map<String, Integer> pools;
  private final Map<String, Integer> runners;
  private final ReservedCapacity kept = new ReservedCapacity();

  /** By how many GPUs; 0 where that was not asked yet. */
  private final long[] sizes;

  HostCapacity(Host host) {
    this.host = host;
    sharing = host.sharing().capacity().copy();
    gpus = host.freeGpus();
    slots = host.freeSlots();
    placements = host.openPlacements();
    staged = host.sharing().staged();
    ahead = host.ahead().places();
    aheadMs = host.ahead().ms();
    memory = host.memory().copy();
    pools = new HashMap<>(host.pools());
    runners = new HashMap<>(host.service().free());
    sizes = new long[host.devices().size() + 1];
  }

  Host host() {
    return host;
  }

  String id() {
    return host.id();
  }

  MemoryCapacity memory() {
    return memory;
  }

  /** How much of what is needed is free, kept or not. */
  int free(Need need) {
    if (need.takes() instanceof OnPool task) {
      return pools.getOrDefault(task.pool(), 0);
    }
    if (need.takes() instanceof OnSlots) {
      return slots;
    }
    return need.onGpus() ? gpus : slots(need);
  }

  /** Slots that are free of the runner that is needed. */
  int slots(Need need) {
    return runners.getOrDefault(need.takes().runner(), 0);
  }

  Optional<String> keptFor() {
    return kept.firstJob();
  }

  /** Bytes that each of so many of its GPUs has in all; see {@link Sharing#size}. */
  long size(int ofGpus) {
    if (ofGpus < 1 || ofGpus >= sizes.length) {
      return 0;
    }
    if (sizes[ofGpus] == 0) {
      sizes[ofGpus] = host.sharing().size(ofGpus);
    }
    return sizes[ofGpus];
  }

  /** Bytes that it would promise the job on each GPU; see {@link Sharing#bytes}. */
  Long bytes(QueueHead head) {
    return host.sharing().bytes(head, size(head.shape().gpus()));
  }

  /** Why it can never serve such a job, if it cannot. */
  Optional<FilterFailure> never(QueueHead head, Need need) {
    Shape shape = head.shape();
    if (shape.avoid().contains(host.id())) {
      return Optional.of(FilterFailure.AVOIDED);
    }
    if (!need.onPool() && !host.service().serves(shape.type())) {
      return Optional.of(FilterFailure.NO_SUCH_RUNNER);
    }
    if (!host.service().admits(shape.user())) {
      return Optional.of(FilterFailure.NOT_FOR_USER);
    }
    if (need.takes() instanceof OnPool task && !pools.containsKey(task.pool())) {
      return Optional.of(FilterFailure.NO_SUCH_POOL);
    }
    if (shape.nodeGpus() > 0) {
      return host.service()
          .machines(shape.type())
          .never(shape)
          .or(() -> Labels.all(shape, host) ? Optional.empty() : Optional.of(FilterFailure.LABEL));
    }
    if (host.devices().size() < need.gpus()) {
      return Optional.of(FilterFailure.TOO_FEW_GPUS);
    }
    if (host.cpuSlots() < need.cpuSlots()) {
      return Optional.of(FilterFailure.TOO_FEW_SLOTS);
    }
    if (shape.device() != null && need.onGpus() && !host.offers(shape.device())) {
      return Optional.of(FilterFailure.NO_SUCH_DEVICE);
    }
    if (!Labels.all(shape, host)) {
      return Optional.of(FilterFailure.LABEL);
    }
    return GpuCapacity.couldHave(host.devices(), need.gpus(), least(head, need))
        ? Optional.empty()
        : Optional.of(FilterFailure.TOO_LITTLE_GPU_MEMORY);
  }

  /**
   * What comes first of all that keeps it from serving the job, if anything does.
   *
   * @param able whether it is one of those that can ever serve it, of all hosts that there are
   */
  Optional<FilterFailure> failure(QueueHead head, Need need, boolean able) {
    boolean small = !able && !hasEver(need);
    return never(head, need)
        .or(() -> small ? Optional.of(FilterFailure.TOO_LITTLE_MEMORY) : Optional.empty())
        .or(() -> notNow(head, need, !able));
  }

  /** Whether it has as much memory as is needed, with nothing else on it. */
  boolean hasEver(Need need) {
    return memory.couldHold(need.memory());
  }

  /** Whether all that keeps it from serving the job now is its memory. */
  boolean lacksMemoryAlone(QueueHead head, Need need) {
    return notNow(head, need, false).filter(FilterFailure.BUSY_MEMORY::equals).isPresent();
  }

  /** Whether it would serve the job now, if room were not kept for others. */
  boolean isKeptFrom(QueueHead head, Need need) {
    return notNow(head, need, false).filter(FilterFailure.RESERVED::equals).isPresent();
  }

  /**
   * The size of GPU that must be. What a request says is a hint once it was measured that it takes
   * less; that it took more keeps no host out, since others of its like may take little.
   */
  private Long least(QueueHead head, Need need) {
    Long declared = head.shape().gpuMemory();
    Long promised = need.onGpus() ? bytes(head) : null;
    return declared == null || promised == null
        ? declared
        : Long.valueOf(Math.min(declared, promised));
  }

  /**
   * Why it cannot serve the job now, if it cannot.
   *
   * @param shunned whether it failed the job and another one can serve it
   */
  Optional<FilterFailure> notNow(QueueHead head, Need need, boolean shunned) {
    return shunned && host.usable()
        ? Optional.of(FilterFailure.FAILED_BEFORE)
        : Optional.ofNullable(first(head, need));
  }

  /** Whether it can serve the job now. */
  boolean takes(QueueHead head, Need need) {
    return first(head, need) == null;
  }

  /** What keeps it from serving the job now, null if nothing does: asked for each job and host. */
  private FilterFailure first(QueueHead head, Need need) {
    if (!host.usable()) {
      return FilterFailure.NOT_USABLE;
    }
    if (!head.returnedBy().isEmpty() && head.returnedBy().contains(host.id())) {
      return FilterFailure.RETURNED;
    }
    if (host.behind(placements, need.onPool())) {
      return FilterFailure.BEHIND;
    }
    if (need.onPool()) {
      return free(need) > 0 ? null : FilterFailure.BUSY;
    }
    if (need.takes().runner() != null && slots(need) <= 0) {
      return FilterFailure.BUSY;
    }
    boolean free = !need.onGpus() || hasGpus(head, need) || waits(head, need);
    if (!free || slots < need.cpuSlots()) {
      return FilterFailure.BUSY;
    }
    if (!kept.isEmpty() && kept.holds(need, gpus, slots)) {
      return FilterFailure.RESERVED;
    }
    return need.takes() instanceof OnHost ? withoutMemory(need) : null;
  }

  private FilterFailure withoutMemory(Need need) {
    if (!memory.has(need.memory(), 0)) {
      return FilterFailure.BUSY_MEMORY;
    }
    if (kept.isEmpty()) {
      return null;
    }
    return memory.has(need.memory(), kept.memory(memory)) ? null : FilterFailure.RESERVED;
  }

  private boolean hasGpus(QueueHead head, Need need) {
    return sharing.has(need.gpus(), bytes(head), avoided(head, need));
  }

  /**
   * Its devices that failed the job, as long as there are others that could ever serve it. Which of
   * them are out of use is not known here: as many as are in all.
   */
  Set<String> avoided(QueueHead head, Need need) {
    if (head.avoid().devices().isEmpty()) {
      return Set.of();
    }
    List<String> devices = head.avoid().on(host.id());
    if (devices.isEmpty() || head.shape().device() != null || !need.onGpus()) {
      return Set.of();
    }
    Set<String> failed = Set.copyOf(devices);
    List<DeviceInfo> others =
        host.devices().stream().filter(device -> !failed.contains(device.id())).toList();
    Long expected = head.memory().expected();
    Long wanted = expected == null ? head.shape().gpuMemory() : expected;
    return GpuCapacity.couldHave(others, need.gpus() + sharing.reserved(), wanted)
        ? failed
        : Set.of();
  }

  /** A staged job loads while others have the GPUs, and waits for one there. */
  private boolean waits(QueueHead head, Need need) {
    return head.shape().staged() && need.onGpus() && staged > 0;
  }

  /** Whether it can hold the job behind its CPU slots, of which none is free. */
  boolean takesAhead(QueueHead head, Need need) {
    return ahead > 0
        && aheadMs > 0
        && slots <= 0
        && host.usable()
        && !head.returnedBy().contains(host.id())
        && !host.behind(placements - LookAheadCapacity.MOST, false)
        && kept.isEmpty()
        && memory.has(need.memory(), 0);
  }

  /** Running time that it still may be given before what comes last, ms. */
  long aheadMs() {
    return aheadMs;
  }

  /** Holds the job behind its slots. */
  Assignment takeAhead(QueueHead head, Need need, long expectedMs) {
    ahead--;
    aheadMs -= expectedMs;
    return take(head, need).lookingAhead();
  }

  /** Whether it would take anything at all. */
  boolean hasRoom() {
    return host.usable()
        && (pools.values().stream().anyMatch(free -> free > 0)
            || !host.behind(placements, false)
                && (gpus > 0
                    || slots > 0
                    || ahead > 0
                    || staged > 0
                    || sharing.has(1, 1L)
                    || Service.hasSlots(runners)));
  }

  /** Whether it takes such jobs now, or as soon as it has room. */
  boolean mayServe(QueueHead head) {
    return host.usable() && !head.returnedBy().contains(host.id());
  }

  /** Gives the job what it needs. */
  Assignment take(QueueHead head, Need need) {
    placements += need.onPool() && !host.onTrialNow() ? 0 : 1;
    runners.computeIfPresent(need.takes().runner(), (type, free) -> free - 1);
    return new Assignment(head.job(), host.id(), taken(head, need));
  }

  private Takes taken(QueueHead head, Need need) {
    switch (need.takes()) {
      case OnGpus some -> {
        Long bytes = bytes(head);
        if (hasGpus(head, need)) {
          sharing.take(some.gpus(), bytes, avoided(head, need));
        } else {
          staged--;
        }
        gpus = sharing.whole();
        return new OnGpus(some.gpus(), bytes, memory.take(need.memory()), some.runner());
      }
      case OnSlots some -> {
        slots -= some.cpuSlots();
        return new OnSlots(some.cpuSlots(), memory.take(need.memory()), some.runner());
      }
      case OnPool task -> {
        pools.merge(task.pool(), -1, Integer::sum);
        return task;
      }
      default -> {
        return need.takes();
      }
    }
  }

  /** Keeps so much, as soon as it is free, from all who come later. */
  void keep(Need need, String job) {
    kept.keep(need, job);
  }

  /** Keeps nothing more for that job. */
  void release(String job) {
    kept.release(job);
  }

  /** Keeps all that is free of what is needed. */
  void keepAll(Need need, String job) {
    Takes free =
        need.onGpus() ? new OnGpus(gpus, null, null, null) : new OnSlots(slots, null, null);
    keep(new Need(free, null), job);
  }

  /** Devices and places for staged jobs that are free. */
  int freeForStaged() {
    return gpus + staged;
  }
}
