package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Floor;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.gate.Gate;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.ToAgent.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Everything an agent knows. What must outlive it changes by {@link #apply} alone, which is also
 * what replays the journal; the rest (lease, phases, what waits for a kill) starts afresh.
 *
 * <p>Mutable, and touched by one thread: an agent holds thousands of reports and decides thousands
 * of times a second, so a copy a decision would cost more than the decisions.
 */
public final class AgentState {
  final Lease lease;
  final DeviceAllocator allocator;
  final UsageMeter usage = new UsageMeter();
  final Map<AttemptKey, LiveAttempt> live = new LinkedHashMap<>();

  /** The live attempt of each job: there is at most one. */
  final Map<String, AttemptKey> keys = new HashMap<>();

  final Set<AttemptKey> timed = new LinkedHashSet<>();
  int onPools;

  /** Those that are held behind the CPU slots, in the order in which they were accepted. */
  final Set<AttemptKey> lookAhead = new LinkedHashSet<>();

  /** How many are held so at most. */
  int mostAhead;

  final Map<AttemptKey, KeptReport> reports = new LinkedHashMap<>();
  final Map<String, Floor> floors = new HashMap<>();
  final Map<String, Place> afterKill = new LinkedHashMap<>();

  /** Ended runs whose devices are not clean yet. */
  final Map<RunKey, Allocation> cleaning = new LinkedHashMap<>();

  /** Attempts that an agent before this one has started, or may have. */
  final Set<AttemptKey> adopted = new HashSet<>();

  /** Attempts whose devices were another's, or gone, when the journal was replayed. */
  final Set<AttemptKey> unmatched = new LinkedHashSet<>();

  /** How the devices are by their UUIDs, those that are OK left out. */
  Map<String, Condition> conditions = Map.of();

  /** How the host was when it was last looked at. */
  Optional<HostLoad> load = Optional.empty();

  /** Bytes of host memory in use, by the names of attempts, as last measured. */
  Map<String, Long> resident = Map.of();

  /** Attempts of which was told that they take more than they were promised. */
  final Set<AttemptKey> outgrown = new HashSet<>();

  /** Attempts of which was told that they have written more than they may. */
  final Set<RunKey> overQuota = new HashSet<>();

  /** Attempts whose GPUs do next to nothing at the moment. */
  final Map<AttemptKey, IdleSince> idle = new HashMap<>();

  /** Attempts that are not staged and have passed the gates. */
  final Set<AttemptKey> admitted = new HashSet<>();

  /** What holds attempts back, as last said. */
  final Map<AttemptKey, Held> heldBy = new HashMap<>();

  /**
   * What holds an attempt back.
   *
   * @param saidAt when that was said, ms since boot
   */
  record Held(Gate gate, long saidAt) {}

  DeviceLedger ledger;
  OptionalLong nextOffset = OptionalLong.empty();

  /** Whether a placement was read that a dispatcher had signed. */
  boolean signed;

  /** First processes by the names of their attempts. Read by other threads, so never changed. */
  private volatile Map<String, Long> roots = Map.of();

  private volatile Set<String> begun = Set.of();

  /** Its pools of workers. What they are and do does not outlive the agent. */
  WorkerPools pools = new WorkerPools("");

  /** What does. */
  final PoolBook poolBook = new PoolBook();

  /** What it runs, and for whom. */
  Service service = Service.STANDARD;

  /** Whether it can take jobs. */
  Fitness fitness = Fitness.SOUND;

  /** When it is next noted that another agent asks for this host's name. */
  long noteRivalFrom = Long.MIN_VALUE;

  /** When it may be said again that nobody answers. */
  long noteUnheardFrom;

  boolean stopping;
  boolean endJobsOnStop;
  boolean stopped;

  /** Which lines of their output attempts have made events of. */
  final EmittedEvents told = new EmittedEvents();

  /** Ended attempts whose ends are told once lines before them have been told again. */
  final Set<AttemptKey> retelling = new HashSet<>();

  /** Runs that an earlier agent left elsewhere, of which something may be left. */
  final Set<AttemptKey> leftovers = new LinkedHashSet<>();

  /** Of the machine, on which the agent runs; empty if that does not matter. */
  Optional<String> boot = Optional.empty();

  private final JournaledChanges changes = new JournaledChanges(this);

  private AgentState(DeviceLedger ledger, Lease lease, DeviceAllocator allocator) {
    this.ledger = ledger;
    this.lease = lease;
    this.allocator = allocator;
  }

  /**
   * The state of an agent that starts.
   *
   * @param journal everything its predecessors journaled, in order
   * @param ledger of the host as it is now, with nothing held
   * @param lease fresh
   */
  public static AgentState replay(
      Iterable<JournalEntry> journal, DeviceLedger ledger, Lease lease) {
    return replay(journal, ledger, lease, DeviceAllocator.standard());
  }

  /**
   * The state of an agent that starts.
   *
   * @param journal everything its predecessors journaled, in order
   * @param ledger of the host as it is now, with nothing held
   * @param lease fresh
   * @param allocator by which it gives devices
   */
  public static AgentState replay(
      Iterable<JournalEntry> journal, DeviceLedger ledger, Lease lease, DeviceAllocator allocator) {
    AgentState state = new AgentState(ledger, lease, allocator);
    journal.forEach(state::apply);
    return state;
  }

  /** The same on this boot of the machine: what was taken on another one runs no more. */
  public AgentState on(String bootId) {
    boot = Optional.of(bootId);
    return this;
  }

  /** The same with pools of workers. */
  public AgentState withPools(List<PoolSettings> settings) {
    pools = poolBook.open(settings, live.values(), lease.nonce());
    return this;
  }

  /** The same that holds so many jobs behind its CPU slots at most. */
  public AgentState lookingAhead(int most) {
    mostAhead = most;
    return this;
  }

  /** Runs that the journal does not know are being ended elsewhere: they are held until then. */
  public void left(Set<AttemptKey> unended) {
    leftovers.addAll(unended);
  }

  /** Says what it runs, and for whom. */
  public void serve(Service other) {
    service = other;
  }

  Service service() {
    return service;
  }

  public WorkerPools pools() {
    return pools;
  }

  /** What a journal must hold to replay to this state: what compaction keeps. */
  public List<JournalEntry> snapshot() {
    return changes.snapshot();
  }

  /** Makes one journaled change. */
  void apply(JournalEntry entry) {
    changes.make(entry);
  }

  /** The first process of each live attempt, by the attempt's name; from any thread. */
  public Map<String, Long> roots() {
    return roots;
  }

  /** Names of the runs that have begun, wherever they are; from any thread. */
  public Set<String> begun() {
    return begun;
  }

  void findRoots() {
    Map<String, Long> found = new HashMap<>(pools.roots());
    Set<String> all = new HashSet<>(found.keySet());
    live.forEach(
        (key, attempt) -> {
          Optional<RunProcess> process =
              attempt.onPool() ? Optional.empty() : attempt.phase().process();
          process.ifPresent(one -> all.add(key.toString()));
          process.filter(RunProcess::here).ifPresent(one -> found.put(key.toString(), one.pid()));
        });
    begun = Set.copyOf(all);
    roots = Map.copyOf(found);
  }

  /** Whether a placement of this number is refused for good. */
  boolean belowFloor(AttemptKey key) {
    Floor floor = floors.get(key.job());
    return floor != null && key.attempt() <= floor.attempt();
  }

  /** How many live attempts there are of each type that is not processes of this host. */
  public Map<String, Long> byRunner() {
    return live.values().stream()
        .flatMap(attempt -> attempt.workload().runner().stream())
        .collect(Collectors.groupingBy(type -> type, TreeMap::new, Collectors.counting()));
  }

  Optional<LiveAttempt> liveOf(String job) {
    return Optional.ofNullable(keys.get(job)).map(live::get);
  }

  /** Whether nothing runs, or waits to, but what the workers of pools run. */
  boolean onlyOnPools() {
    return onPools == live.size();
  }

  /** Live attempts that have a time-out. */
  List<LiveAttempt> timed() {
    return timed.isEmpty() ? List.of() : timed.stream().map(live::get).toList();
  }

  public DeviceLedger ledger() {
    return ledger;
  }

  public Lease lease() {
    return lease;
  }

  public DeviceAllocator allocator() {
    return allocator;
  }

  /** The first offset of the placements topic that has not been dealt with, if known. */
  public OptionalLong nextOffset() {
    return nextOffset;
  }

  /** Whether a record of the placements topic was read that a dispatcher had signed. */
  public boolean signed() {
    return signed;
  }

  /** The attempts that have not ended. */
  public Collection<AttemptKey> liveKeys() {
    return List.copyOf(live.keySet());
  }

  /** What earlier agents told of the lines of an attempt's output. */
  public ToldBefore toldBefore(AttemptKey key) {
    return told.before(key);
  }

  /** Attempts that have ended and that the dispatcher has not closed, with when they ended. */
  public Map<AttemptKey, Long> ended() {
    Map<AttemptKey, Long> ended = new HashMap<>();
    reports.forEach((key, kept) -> ended.put(key, kept.event().at()));
    return ended;
  }

  /** Every attempt that the dispatcher has not released, for hello and inventory. */
  public List<HeldAttempt> held() {
    List<HeldAttempt> held = new ArrayList<>(live.size() + reports.size());
    Set<AttemptKey> retiring = pools.retiring();
    live.forEach(
        (key, attempt) ->
            held.add(
                new HeldAttempt(
                    key.job(),
                    key.attempt(),
                    attempt.seq(),
                    true,
                    null,
                    resident.get(key.toString()),
                    retiring.contains(key) ? true : null)));
    reports.forEach(
        (key, kept) ->
            held.add(
                new HeldAttempt(
                    key.job(), key.attempt(), kept.event().seq(), false, kept.event().outcome())));
    leftovers.forEach(key -> held.add(new HeldAttempt(key.job(), key.attempt(), 0, true, null)));
    return held;
  }

  /** How a device is. */
  Condition condition(Device device) {
    Condition known = conditions.getOrDefault(device.uuid(), Condition.OK);
    boolean cleaned =
        cleaning.values().stream()
            .flatMap(given -> given.devices().stream())
            .anyMatch(id -> ledger.uuid(id).equals(device.uuid()));
    return cleaned && known.serves()
        ? new Condition(Condition.State.CLEANING, "it is not free of an ended attempt yet")
        : known;
  }

  /**
   * What is taken although no attempt that the dispatcher knows as open holds it: devices that have
   * failed or are being cleaned, unless somebody shares them, who is known to hold them.
   */
  public Reserved reserved() {
    Set<String> unclean = new HashSet<>();
    cleaning.values().forEach(given -> unclean.addAll(given.devices()));
    unclean.addAll(ledger.quarantined().keySet());
    live.values().forEach(attempt -> unclean.removeAll(attempt.allocation().devices()));
    unclean.addAll(pools.busyDevices());
    return new Reserved(unclean.size(), pools.busySlots());
  }
}
