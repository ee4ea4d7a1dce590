package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A host while a pass gives from it. */
final class Room {
  private final Host host;
  private final GpuRoom sharing;
  private int gpus;
  private int slots;
  private int placements;
  private int staged;
  private int ahead;
  private long aheadMs;
  private final MemoryRoom memory;
  private final Map<String, Integer> pools;
  private final Map<String, Integer> runners;
  private final Kept kept = new Kept();

  /** By how many GPUs; 0 where that was not asked yet. */
  private final long[] sizes;

  Room(Host host) {
    this.host = host;
    sharing = host.sharing().room().copy();
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

  MemoryRoom memory() {
    return memory;
  }

  /** How much of what is needed is free, kept or not. */
  int free(Need need) {
    if (need.onPool()) {
      return pools.getOrDefault(need.pool(), 0);
    }
    if (need.runnerOnly()) {
      return slots(need);
    }
    return need.onGpus() ? gpus : slots;
  }

  /** Slots that are free of the runner that is needed. */
  int slots(Need need) {
    return runners.getOrDefault(need.runner(), 0);
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
  Long bytes(Head head) {
    return host.sharing().bytes(head, size(head.shape().gpus()));
  }

  /** Why it can never serve such a job, if it cannot. */
  Optional<Obstacle> never(Head head, Need need) {
    Shape shape = head.shape();
    if (shape.avoid().contains(host.id())) {
      return Optional.of(Obstacle.AVOIDED);
    }
    if (!need.onPool() && !host.service().serves(shape.type())) {
      return Optional.of(Obstacle.NO_SUCH_RUNNER);
    }
    if (!host.service().admits(shape.user())) {
      return Optional.of(Obstacle.NOT_FOR_USER);
    }
    if (need.onPool() && !pools.containsKey(need.pool())) {
      return Optional.of(Obstacle.NO_SUCH_POOL);
    }
    if (shape.nodeGpus() > 0) {
      return host.service()
          .machines(shape.type())
          .never(shape)
          .or(() -> Labels.all(shape, host) ? Optional.empty() : Optional.of(Obstacle.LABEL));
    }
    if (host.devices().size() < need.gpus()) {
      return Optional.of(Obstacle.TOO_FEW_GPUS);
    }
    if (host.cpuSlots() < need.cpuSlots()) {
      return Optional.of(Obstacle.TOO_FEW_SLOTS);
    }
    if (shape.device() != null && need.onGpus() && !host.offers(shape.device())) {
      return Optional.of(Obstacle.NO_SUCH_DEVICE);
    }
    if (!Labels.all(shape, host)) {
      return Optional.of(Obstacle.LABEL);
    }
    return GpuRoom.couldHave(host.devices(), need.gpus(), least(head, need))
        ? Optional.empty()
        : Optional.of(Obstacle.TOO_LITTLE_GPU_MEMORY);
  }

  /**
   * What comes first of all that keeps it from serving the job, if anything does.
   *
   * @param able whether it is one of those that can ever serve it, of all hosts that there are
   */
  Optional<Obstacle> obstacle(Head head, Need need, boolean able) {
    boolean small = !able && !hasEver(need);
    return never(head, need)
        .or(() -> small ? Optional.of(Obstacle.TOO_LITTLE_MEMORY) : Optional.empty())
        .or(() -> notNow(head, need, !able));
  }

  /** Whether it has as much memory as is needed, with nothing else on it. */
  boolean hasEver(Need need) {
    return memory.couldHold(need.memory());
  }

  /** Whether all that keeps it from serving the job now is its memory. */
  boolean lacksMemoryAlone(Head head, Need need) {
    return notNow(head, need, false).filter(Obstacle.BUSY_MEMORY::equals).isPresent();
  }

  /** Whether it would serve the job now, if room were not kept for others. */
  boolean isKeptFrom(Head head, Need need) {
    return notNow(head, need, false).filter(Obstacle.RESERVED::equals).isPresent();
  }

  /**
   * The size of GPU that must be. What a request says is a hint once it was measured that it takes
   * less; that it took more keeps no host out, since others of its like may take little.
   */
  private Long least(Head head, Need need) {
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
  Optional<Obstacle> notNow(Head head, Need need, boolean shunned) {
    return shunned && host.usable()
        ? Optional.of(Obstacle.FAILED_BEFORE)
        : Optional.ofNullable(first(head, need));
  }

  /** Whether it can serve the job now. */
  boolean takes(Head head, Need need) {
    return first(head, need) == null;
  }

  /** What keeps it from serving the job now, null if nothing does: asked for each job and host. */
  private Obstacle first(Head head, Need need) {
    if (!host.usable()) {
      return Obstacle.NOT_USABLE;
    }
    if (!head.returnedBy().isEmpty() && head.returnedBy().contains(host.id())) {
      return Obstacle.RETURNED;
    }
    if (host.behind(placements, need.onPool())) {
      return Obstacle.BEHIND;
    }
    if (need.onPool()) {
      return free(need) > 0 ? null : Obstacle.BUSY;
    }
    if (need.runner() != null && slots(need) <= 0) {
      return Obstacle.BUSY;
    }
    boolean free = !need.onGpus() || hasGpus(head, need) || waits(head, need);
    if (!free || slots < need.cpuSlots()) {
      return Obstacle.BUSY;
    }
    if (!kept.isEmpty() && kept.holds(need, gpus, slots)) {
      return Obstacle.RESERVED;
    }
    return need.runnerOnly() ? null : withoutMemory(need);
  }

  private Obstacle withoutMemory(Need need) {
    if (!memory.has(need.memory(), 0)) {
      return Obstacle.BUSY_MEMORY;
    }
    if (kept.isEmpty()) {
      return null;
    }
    return memory.has(need.memory(), kept.memory(memory)) ? null : Obstacle.RESERVED;
  }

  private boolean hasGpus(Head head, Need need) {
    return sharing.has(need.gpus(), bytes(head), avoided(head, need));
  }

  /**
   * Its devices that failed the job, as long as there are others that could ever serve it. Which of
   * them are out of use is not known here: as many as are in all.
   */
  Set<String> avoided(Head head, Need need) {
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
    return GpuRoom.couldHave(others, need.gpus() + sharing.reserved(), wanted) ? failed : Set.of();
  }

  /** A staged job loads while others have the GPUs, and waits for one there. */
  private boolean waits(Head head, Need need) {
    return head.shape().staged() && need.onGpus() && staged > 0;
  }

  /** Whether it can hold the job behind its CPU slots, of which none is free. */
  boolean takesAhead(Head head, Need need) {
    return ahead > 0
        && aheadMs > 0
        && slots <= 0
        && host.usable()
        && !head.returnedBy().contains(host.id())
        && !host.behind(placements - AheadRoom.MOST, false)
        && kept.isEmpty()
        && memory.has(need.memory(), 0);
  }

  /** Running time that it still may be given before what comes last, ms. */
  long aheadMs() {
    return aheadMs;
  }

  /** Holds the job behind its slots. */
  Assignment takeAhead(Head head, Need need, long expectedMs) {
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
                    || Service.slots(runners) > 0));
  }

  /** Whether it takes such jobs now, or as soon as it has room. */
  boolean mayServe(Head head) {
    return host.usable() && !head.returnedBy().contains(host.id());
  }

  /** Gives the job what it needs. */
  Assignment take(Head head, Need need) {
    if (need.onPool()) {
      pools.merge(need.pool(), -1, Integer::sum);
      placements += host.onTrialNow() ? 1 : 0;
      return new Assignment(head.job(), host.id(), 0, 0, null, need.pool(), null, null);
    }
    Long bytes = need.onGpus() ? bytes(head) : null;
    if (need.onGpus() && !hasGpus(head, need)) {
      staged--;
    } else {
      sharing.take(need.gpus(), bytes, avoided(head, need));
    }
    gpus = sharing.whole();
    slots -= need.cpuSlots();
    placements++;
    if (need.runner() != null) {
      runners.merge(need.runner(), -1, Integer::sum);
    }
    return new Assignment(
        head.job(),
        host.id(),
        need.gpus() + need.nodeGpus(),
        need.cpuSlots(),
        bytes,
        null,
        need.runner(),
        need.runnerOnly() ? null : memory.take(need.memory()));
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
    keep(new Need(need.onGpus() ? gpus : 0, need.onGpus() ? 0 : slots), job);
  }

  /** Devices and places for staged jobs that are free. */
  int freeForStaged() {
    return gpus + staged;
  }
}
