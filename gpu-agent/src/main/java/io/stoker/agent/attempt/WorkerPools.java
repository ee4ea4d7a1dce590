package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolMemory;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Seeds;
import java.util.Collection;
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

/**
 * The pools of a host, and the processes of their workers under names of their own: {@code
 * pool:<pool>:<start of the agent>} and the process's number. A later start of the agent knows none
 * of these names, and so ends what carries them.
 */
public final class WorkerPools {
  private static final String PREFIX = "pool:";
  private static final int TAG = 8;
  private static final int MOST_MESSAGES = 256;

  private final Map<String, Pool> pools = new LinkedHashMap<>();
  private final Map<AttemptKey, Worker> workers = new HashMap<>();
  private final LinkedHashSet<String> messages = new LinkedHashSet<>();
  private final String tag;

  /** A worker that has been given its devices. */
  static final class Worker {
    final Pool pool;
    final int number;
    final Allocation allocation;
    Optional<RunProcess> process = Optional.empty();

    /** Whether it has said so. */
    boolean ready;

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
   * @param memory of the agents before this
   * @param begun jobs that workers of theirs had begun
   */
  void add(PoolSettings settings, PoolMemory memory, int begun) {
    pools.put(settings.name(), new Pool(settings, memory, begun));
  }

  Collection<Pool> all() {
    return pools.values();
  }

  Optional<Pool> find(String name) {
    return Optional.ofNullable(pools.get(name));
  }

  AttemptKey key(Pool pool, int process) {
    return new AttemptKey(PREFIX + pool.settings().name() + ":" + tag, process);
  }

  /** Of a worker's process: no other of the pool has it. */
  long seed(Pool pool, int process) {
    long base = ((long) tag.hashCode() << Integer.SIZE) ^ pool.settings().name().hashCode();
    return Seeds.of(base, process);
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

  boolean knows(AttemptKey key) {
    return key.job().startsWith(PREFIX);
  }

  void add(AttemptKey key, Worker worker) {
    workers.put(key, worker);
  }

  List<Worker> workers() {
    return List.copyOf(workers.values());
  }

  Optional<Worker> worker(AttemptKey key) {
    return Optional.ofNullable(workers.get(key));
  }

  Optional<Worker> remove(AttemptKey key) {
    return Optional.ofNullable(workers.remove(key));
  }

  boolean empty() {
    return workers.isEmpty() && pools.values().stream().allMatch(Pool::empty);
  }

  OptionalLong nextTick() {
    return pools.values().stream().flatMapToLong(pool -> pool.nextTick().stream()).min();
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

  public List<PoolReport> reports() {
    return pools.values().stream().map(Pool::report).toList();
  }
}
