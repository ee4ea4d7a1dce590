package io.stoker.e2e.outside;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Faults of one sort, struck one after the other at random while other lanes strike theirs. Each is
 * over, and what it struck serves again, before the next one of its lane begins.
 */
final class Lane implements AutoCloseable {
  /** Does something to the stack, and returns once that is healed. */
  @FunctionalInterface
  interface Fault {
    void strike() throws Exception;
  }

  private final Map<String, AtomicInteger> struck = new ConcurrentHashMap<>();
  private final List<Map.Entry<String, Fault>> faults;
  private final Random random;
  private final int pauseMs;
  private final Thread thread;
  private volatile boolean over;
  private volatile String failed;

  /**
   * Begins to strike.
   *
   * @param pauseMs mean time between two faults, ms
   */
  Lane(String name, Map<String, Fault> faults, long seed, int pauseMs) {
    this.faults = List.copyOf(new TreeMap<>(faults).entrySet());
    this.random = new Random(seed);
    this.pauseMs = pauseMs;
    thread = Thread.ofPlatform().name(name).daemon().start(this::run);
  }

  private void run() {
    int turn = 0;
    while (!over) {
      // Each once, then at random.
      Map.Entry<String, Fault> fault =
          faults.get(turn < faults.size() ? turn : random.nextInt(faults.size()));
      turn++;
      try {
        fault.getValue().strike();
        struck.computeIfAbsent(fault.getKey(), key -> new AtomicInteger()).incrementAndGet();
        Thread.sleep(random.nextInt(2 * pauseMs));
      } catch (InterruptedException e) {
        return;
      } catch (Exception | AssertionError e) {
        failed = "%s: %s".formatted(fault.getKey(), e);
        return;
      }
    }
  }

  /** Whether a fault could not be struck or healed, so that no more will be. */
  boolean failed() {
    return failed != null;
  }

  /** How many faults have struck. */
  int strikes() {
    return struck.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  /** How often each fault has struck. */
  Map<String, Integer> struck() {
    Map<String, Integer> counts = new TreeMap<>();
    struck.forEach((name, count) -> counts.put(name, count.get()));
    return counts;
  }

  /** Lets the fault that is under way end. */
  @Override
  public void close() throws InterruptedException {
    over = true;
    thread.join();
    if (failed != null) {
      throw new AssertionError("a fault could not be struck or healed: " + failed);
    }
  }
}
