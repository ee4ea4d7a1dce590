package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Accepted;
import io.stoker.agent.attempt.JournalEntry.Ended;
import io.stoker.agent.attempt.JournalEntry.Floor;
import io.stoker.agent.attempt.JournalEntry.Forgotten;
import io.stoker.agent.attempt.JournalEntry.Joined;
import io.stoker.agent.attempt.JournalEntry.Killing;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.attempt.JournalEntry.PoolKept;
import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.attempt.JournalEntry.SeqReserved;
import io.stoker.agent.attempt.JournalEntry.Staged;
import io.stoker.agent.attempt.JournalEntry.Started;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.DeviceException;
import io.stoker.agent.gate.Gate;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.lease.Lease;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
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
import java.util.function.UnaryOperator;

/**
 * Everything an agent knows. What must outlive it changes by {@link #apply} alone, which is also
 * what replays the journal; the rest (lease, phases, what waits for a kill) starts afresh.
 *
 * <p>Mutable, and touched by one thread: an agent holds thousands of reports and decides thousands
 * of times a second, so a copy a decision would cost more than the decisions.
 */
public final class AgentState {
  final Lease lease;
  final DeviceDesk desk;
  final UsageMeter usage = new UsageMeter();
  final Map<AttemptKey, LiveAttempt> live = new LinkedHashMap<>();

  /** The live attempt of each job: there is at most one. */
  private final Map<String, AttemptKey> keys = new HashMap<>();

  private final Set<AttemptKey> timed = new LinkedHashSet<>();
  private int onPools;
  final Map<AttemptKey, KeptReport> reports = new LinkedHashMap<>();
  final Map<String, Floor> floors = new HashMap<>();
  final Map<String, Place> afterKill = new LinkedHashMap<>();

  /** Ended attempts whose devices are not clean yet. */
  final Map<AttemptKey, Allocation> cleaning = new LinkedHashMap<>();

  /** Attempts whose devices were another's when the journal was replayed. */
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
  final Set<AttemptKey> overQuota = new HashSet<>();

  /** Attempts whose GPUs do next to nothing at the moment. */
  final Map<AttemptKey, IdleSince> idle = new HashMap<>();

  /** Attempts that are not staged and have passed the gates. */
  final Set<AttemptKey> admitted = new HashSet<>();

  /** What holds attempts back, as last said. */
  final Map<AttemptKey, Gate> heldBy = new HashMap<>();

  DeviceBooks books;
  OptionalLong nextOffset = OptionalLong.empty();

  /** First processes by the names of their attempts. Read by other threads, so never changed. */
  private volatile Map<String, Long> roots = Map.of();

  /** Its pools of workers. What they are and do does not outlive the agent. */
  WorkerPools pools = new WorkerPools("");

  /** What does. */
  final PoolBook poolBook = new PoolBook();

  /** What it runs, and for whom. */
  Service service = Service.STANDARD;

  boolean stopping;
  boolean endJobsOnStop;
  boolean stopped;

  private AgentState(DeviceBooks books, Lease lease, DeviceDesk desk) {
    this.books = books;
    this.lease = lease;
    this.desk = desk;
  }

  /**
   * The state of an agent that starts.
   *
   * @param journal everything its predecessors journaled, in order
   * @param books of the host as it is now, with nothing held
   * @param lease fresh
   */
  public static AgentState replay(Iterable<JournalEntry> journal, DeviceBooks books, Lease lease) {
    return replay(journal, books, lease, DeviceDesk.standard());
  }

  /**
   * The state of an agent that starts.
   *
   * @param journal everything its predecessors journaled, in order
   * @param books of the host as it is now, with nothing held
   * @param lease fresh
   * @param desk by which it gives devices
   */
  public static AgentState replay(
      Iterable<JournalEntry> journal, DeviceBooks books, Lease lease, DeviceDesk desk) {
    AgentState state = new AgentState(books, lease, desk);
    journal.forEach(state::apply);
    return state;
  }

  /** The same with pools of workers. */
  public AgentState withPools(List<PoolSettings> settings) {
    pools = poolBook.open(settings, live.values(), lease.nonce());
    return this;
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
    List<JournalEntry> entries = new ArrayList<>();
    nextOffset.ifPresent(next -> entries.add(new Offset(next)));
    entries.addAll(floors.values());
    entries.addAll(poolBook.snapshot());
    reports.forEach(
        (key, kept) ->
            entries.add(new Ended(kept.event(), kept.token().orElse(null), kept.notAfter())));
    live.values().forEach(attempt -> snapshot(attempt, entries));
    return entries;
  }

  private static void snapshot(LiveAttempt attempt, List<JournalEntry> entries) {
    AttemptKey key = attempt.key();
    Allocation given = attempt.allocation();
    entries.add(Accepted.of(attempt.place(), given, attempt.last().at()));
    if (attempt.joined()) {
      String address = attempt.place().gang().address();
      entries.add(new Joined(key.job(), key.attempt(), address));
    }
    attempt.stages().ifPresent(stages -> entries.add(Staged.of(key, stages, given)));
    attempt
        .phase()
        .process()
        .ifPresent(process -> entries.add(new Started(key.job(), key.attempt(), process)));
    entries.add(new SeqReserved(key.job(), key.attempt(), attempt.reservedSeq()));
    if (attempt.phase() instanceof Phase.Ending ending) {
      entries.add(new Killing(key.job(), key.attempt(), ending.reason(), ending.message()));
    }
  }

  /** Makes one journaled change. */
  void apply(JournalEntry entry) {
    switch (entry) {
      case Accepted accepted -> accept(accepted);
      case Started started -> {
        AttemptKey key = new AttemptKey(started.job(), started.attempt());
        change(key, attempt -> started(attempt, started.process()));
        // The process of a job on a pool is its worker's.
        if (live.containsKey(key) && live.get(key).place().pool() == null) {
          desk.processStarted(key.toString());
          findRoots();
        }
      }
      case Staged staged -> stage(staged);
      case Joined joined ->
          change(
              new AttemptKey(joined.job(), joined.attempt()),
              attempt -> attempt.joined(joined.address()));
      case Killing killing ->
          change(
              new AttemptKey(killing.job(), killing.attempt()),
              attempt -> attempt.in(ending(attempt.phase(), killing)));
      case SeqReserved seq ->
          change(new AttemptKey(seq.job(), seq.attempt()), attempt -> attempt.reserved(seq.upTo()));
      case Ended ended -> end(ended);
      case Forgotten forgotten -> forget(new AttemptKey(forgotten.job(), forgotten.attempt()));
      case Floor floor -> raiseFloor(floor);
      case PoolKept kept -> poolBook.kept(kept);
      case PoolsSet set -> poolBook.set(set.set());
      case Offset offset -> nextOffset = OptionalLong.of(offset.next());
    }
  }

  /** The first process of each live attempt, by the attempt's name; from any thread. */
  public Map<String, Long> roots() {
    return roots;
  }

  void findRoots() {
    Map<String, Long> found = new HashMap<>(pools.roots());
    live.forEach(
        (key, attempt) -> {
          if (attempt.place().pool() == null) {
            attempt
                .phase()
                .process()
                .filter(RunProcess::here)
                .ifPresent(process -> found.put(key.toString(), process.pid()));
          }
        });
    roots = Map.copyOf(found);
  }

  private void change(AttemptKey key, UnaryOperator<LiveAttempt> step) {
    live.computeIfPresent(key, (same, attempt) -> step.apply(attempt));
  }

  /** Another process follows if it has had one: the next one is not known yet. */
  private void stage(Staged staged) {
    AttemptKey key = new AttemptKey(staged.job(), staged.attempt());
    LiveAttempt attempt = live.get(key);
    if (attempt == null) {
      return;
    }
    Stages stages = staged.stages();
    Allocation given =
        new Allocation(
            key.toString(),
            stages.device().map(List::of).orElse(List.of()),
            staged.exclusive(),
            staged.memory() == null ? OptionalLong.empty() : OptionalLong.of(staged.memory()),
            attempt.allocation().cpuSlots());
    if (books.allocations().stream().anyMatch(held -> held.holder().equals(key.toString()))) {
      books = books.release(key.toString());
    }
    try {
      books = books.adopt(given);
    } catch (DeviceException e) {
      unmatched.add(key);
    }
    boolean another = stages.starts() > attempt.stages().map(Stages::starts).orElse(0);
    LiveAttempt next = attempt.at(stages, given);
    live.put(key, another ? next.in(new Phase.Waiting()) : next);
    if (another) {
      findRoots();
    }
  }

  private void accept(Accepted accepted) {
    Place place = accepted.place();
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    Long memory = accepted.memory() == null ? place.gpuMemory() : accepted.memory();
    Allocation allocation =
        new Allocation(
            key.toString(),
            accepted.devices(),
            accepted.exclusive(),
            memory == null ? OptionalLong.empty() : OptionalLong.of(memory),
            accepted.cpuSlots());
    if (place.pool() == null) {
      try {
        books = books.adopt(allocation);
      } catch (DeviceException e) {
        unmatched.add(key);
      }
    }
    keys.put(key.job(), key);
    if (place.timeoutMs() != null) {
      timed.add(key);
    }
    onPools += place.pool() == null ? 0 : 1;
    live.put(
        key,
        LiveAttempt.accepted(
            place, allocation, Events.accepted(place, accepted.devices(), accepted.at())));
    raiseFloor(new Floor(place.job(), place.attempt(), place.notAfter()));
  }

  private static LiveAttempt started(LiveAttempt attempt, RunProcess process) {
    Phase next =
        attempt.phase() instanceof Phase.Ending ending
            ? ending.started(process)
            : new Phase.Running(process);
    AttemptEvent event = Events.running(attempt, process);
    return attempt.in(next).says(event);
  }

  private static Phase ending(Phase phase, Killing killing) {
    return new Phase.Ending(killing.reason(), killing.message(), phase.process());
  }

  private void end(Ended ended) {
    AttemptKey key = new AttemptKey(ended.report().job(), ended.report().attempt());
    LiveAttempt before = live.remove(key);
    keys.remove(key.job(), key);
    timed.remove(key);
    if (before != null && before.place().pool() != null) {
      onPools--;
      poolBook.ended(before.place().pool(), ended.report().outcome());
      keep(key, ended, false);
      return;
    }
    findRoots();
    unmatched.remove(key);
    heldBy.remove(key);
    admitted.remove(key);
    desk.processEnded(key.toString());
    if (books.allocations().stream().anyMatch(held -> held.holder().equals(key.toString()))) {
      books = books.release(key.toString());
    }
    keep(key, ended, true);
  }

  private void keep(AttemptKey key, Ended ended, boolean leaves) {
    Optional<String> token = Optional.ofNullable(ended.token());
    reports.put(key, new KeptReport(ended.report(), token, ended.notAfter(), leaves));
    raiseFloor(new Floor(key.job(), key.attempt(), ended.notAfter()));
  }

  private void forget(AttemptKey key) {
    reports.remove(key);
  }

  private void raiseFloor(Floor floor) {
    floors.merge(
        floor.job(),
        floor,
        (old, fresh) ->
            new Floor(
                old.job(),
                Math.max(old.attempt(), fresh.attempt()),
                Math.max(old.until(), fresh.until())));
  }

  /** Whether a placement of this number is refused for good. */
  boolean belowFloor(AttemptKey key) {
    Floor floor = floors.get(key.job());
    return floor != null && key.attempt() <= floor.attempt();
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

  public DeviceBooks books() {
    return books;
  }

  public Lease lease() {
    return lease;
  }

  public DeviceDesk desk() {
    return desk;
  }

  /** The first offset of the placements topic that has not been dealt with, if known. */
  public OptionalLong nextOffset() {
    return nextOffset;
  }

  /** The attempts that have not ended. */
  public Collection<AttemptKey> liveKeys() {
    return List.copyOf(live.keySet());
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
    live.forEach(
        (key, attempt) ->
            held.add(
                new HeldAttempt(
                    key.job(),
                    key.attempt(),
                    attempt.seq(),
                    true,
                    null,
                    resident.get(key.toString()))));
    reports.forEach(
        (key, kept) ->
            held.add(
                new HeldAttempt(
                    key.job(), key.attempt(), kept.event().seq(), false, kept.event().outcome())));
    return held;
  }

  /** How a device is. */
  Condition condition(Device device) {
    Condition known = conditions.getOrDefault(device.uuid(), Condition.OK);
    boolean cleaned =
        cleaning.values().stream()
            .flatMap(given -> given.devices().stream())
            .anyMatch(id -> books.uuid(id).equals(device.uuid()));
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
    unclean.addAll(books.quarantined().keySet());
    live.values().forEach(attempt -> unclean.removeAll(attempt.allocation().devices()));
    unclean.addAll(pools.busyDevices());
    return new Reserved(unclean.size(), pools.busySlots());
  }
}
