package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolMemory;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pools of a host, and the processes of their workers. */
public final class WorkerPools {
  private static final int TAG = 8;
  private static final int MOST_MESSAGES = 256;

  /** Those that take jobs, by name. */
  private final Map<String, Entry> pools = new LinkedHashMap<>();

  /** Those that end what they have: their declaration has changed, or gone. */
  private final List<Entry> retiring = new ArrayList<>();

  private final Map<String, Integer> versions = new HashMap<>();
  private final Map<WorkerKey, Worker> workers = new HashMap<>();
  private final LinkedHashSet<String> messages = new LinkedHashSet<>();
  private final String tag;

  /**
   * A pool, and why it is here.
   *
   * @param kind that declares it; empty if the host's own configuration does
   * @param version of the name in this start of the agent, from 1
   */
  private record Entry(Pool pool, Optional<String> kind, int version) {
    String name() {
      return pool.settings().name();
    }
  }

  /** A worker that has been given its devices. */
  static final class Worker {
    final Pool pool;
    final int number;
    final Allocation allocation;
    Optional<RunProcess> process = Optional.empty();

    /** Whether it has said so. */
    boolean ready;

    /** Jobs that it can be told besides the one that it runs. */
    int ahead;

    Worker(Pool pool, int number, Allocation allocation) {
      this.pool = pool;
      this.number = number;
      this.allocation = allocation;
    }
  }

  /**
   * @param start random, of this start of the agent
   */
  WorkerPools(String start) {
    tag = start.substring(0, Math.min(TAG, start.length()));
  }

  /**
   * Adds a pool.
   *
   * @param kind that declares it; empty if the host's own configuration does
   * @param memory of the agents before this
   * @param begun jobs that workers of theirs had begun
   */
  Pool add(PoolSettings settings, Optional<String> kind, PoolMemory memory, int begun) {
    Pool pool = new Pool(settings, memory, begun);
    int version = versions.merge(settings.name(), 1, Integer::sum);
    pools.put(settings.name(), new Entry(pool, kind, version));
    return pool;
  }

  /** Those that end what they have included. */
  List<Pool> all() {
    return entries().map(Entry::pool).toList();
  }

  private Stream<Entry> entries() {
    return Stream.concat(pools.values().stream(), retiring.stream());
  }

  private Stream<Entry> named(String name) {
    return entries().filter(one -> one.name().equals(name));
  }

  /** The one that takes jobs by this name. */
  Optional<Pool> find(String name) {
    return Optional.ofNullable(pools.get(name)).map(Entry::pool);
  }

  /** Whether it takes jobs by its name, and does not only end what it has. */
  boolean current(Pool pool) {
    return find(pool.settings().name()).filter(one -> one == pool).isPresent();
  }

  /** All that have this name. */
  List<Pool> allNamed(String name) {
    return named(name).map(Entry::pool).toList();
  }

  WorkerKey key(Pool pool, int process) {
    return new WorkerKey(pool.settings().name(), tag + suffix(pool, "."), process);
  }

  /** Tells a pool from those that had its name before. */
  private String suffix(Pool pool, String separator) {
    int version = entries().filter(one -> one.pool() == pool).findFirst().orElseThrow().version();
    return version == 1 ? "" : separator + version;
  }

  /** Of a worker's process: no other of the pool has it. */
  long seed(Pool pool, int process) {
    String name = pool.settings().name() + suffix(pool, ":");
    long base = ((long) tag.hashCode() << Integer.SIZE) ^ name.hashCode();
    return Seeds.of(base, process);
  }

  /** Whether the host's own configuration has it. */
  boolean own(String name) {
    return pools.containsKey(name) && pools.get(name).kind().isEmpty();
  }

  /** Names of those that kinds declare. */
  Set<String> declared() {
    return pools.values().stream()
        .filter(one -> one.kind().isPresent())
        .map(Entry::name)
        .collect(Collectors.toSet());
  }

  /** It is another kind that declares a pool from now on. */
  void declaredBy(String name, String kind) {
    pools.computeIfPresent(
        name, (same, one) -> new Entry(one.pool(), Optional.of(kind), one.version()));
  }

  /** Takes its name from a pool, which stays until it has ended what it has. */
  Pool retire(String name) {
    Entry entry = pools.remove(name);
    retiring.add(entry);
    return entry.pool();
  }

  /** Forgets those that have ended all they had; whether there were any. */
  boolean dropClosed() {
    return retiring.removeIf(one -> one.pool().closed());
  }

  /** The kind that declares a pool. */
  Optional<String> kind(String name) {
    return named(name).findFirst().flatMap(Entry::kind);
  }

  /** Workers that end what they were given before its declaration changed. */
  int draining(String name) {
    return retiring.stream()
        .filter(one -> one.name().equals(name))
        .mapToInt(one -> one.pool().report().workers())
        .sum();
  }

  /** Attempts that are on workers which only end what they have. */
  Set<AttemptKey> retiring() {
    return retiring.stream()
        .flatMap(one -> one.pool().tasks().stream())
        .map(AttemptKey::of)
        .collect(Collectors.toSet());
  }

  /** Whether a message is seen for the first time, as far as that is remembered. */
  boolean first(String message) {
    if (!messages.add(message)) {
      return false;
    }
    if (messages.size() > MOST_MESSAGES) {
      messages.remove(messages.getFirst());
    }
    return true;
  }

  void add(WorkerKey key, Worker worker) {
    workers.put(key, worker);
  }

  Set<WorkerKey> keys() {
    return Set.copyOf(workers.keySet());
  }

  List<Worker> workers() {
    return List.copyOf(workers.values());
  }

  Optional<Worker> worker(WorkerKey key) {
    return Optional.ofNullable(workers.get(key));
  }

  Optional<Worker> remove(WorkerKey key) {
    return Optional.ofNullable(workers.remove(key));
  }

  boolean empty() {
    return workers.isEmpty() && all().stream().allMatch(Pool::empty);
  }

  OptionalLong nextTick() {
    return all().stream().flatMapToLong(pool -> pool.nextTick().stream()).min();
  }

  /** The processes that are there, by their names. */
  Map<String, Long> roots() {
    Map<String, Long> roots = new HashMap<>();
    workers.forEach(
        (key, worker) -> worker.process.ifPresent(one -> roots.put(key.toString(), one.pid())));
    return roots;
  }

  private Stream<Worker> busy() {
    return workers.values().stream().filter(worker -> worker.pool.busy(worker.number));
  }

  /** Devices that a worker has alone, if it would not give them up for others now. */
  Set<String> busyDevices() {
    return busy()
        .filter(worker -> worker.allocation.exclusive())
        .flatMap(worker -> worker.allocation.devices().stream())
        .collect(Collectors.toSet());
  }

  /** CPU slots likewise. */
  int busySlots() {
    return busy().mapToInt(worker -> worker.allocation.cpuSlots()).sum();
  }

  /** How each is; of those that are gone, as long as they end what they have. */
  public List<PoolReport> reports() {
    Map<String, PoolReport> reports = new LinkedHashMap<>();
    entries().forEach(one -> reports.putIfAbsent(one.name(), one.pool().report()));
    return List.copyOf(reports.values());
  }
}
