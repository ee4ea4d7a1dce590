package io.stoker.e2e.faults;

import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * What may happen to one of several dispatchers: SIGKILL, SIGSTOP until another one schedules, and
 * an orderly restart, each of which gives its partitions to others. The next one is struck once all
 * of them serve again.
 */
final class Replicas {
  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final Duration LOOK = Duration.ofMillis(10);

  private final StokerStack stack;
  private final Random random;
  private final TreeMap<Fault, Integer> struck = new TreeMap<>();
  private final List<Long> takeovers = new ArrayList<>();
  private Runnable afterwards = () -> {};

  /** What is done to one. */
  enum Fault {
    KILL,
    STOP,
    RESTART
  }

  /** Who schedules, and in which epoch. */
  private record Scheduler(String replica, long epoch) {}

  Replicas(StokerStack stack, long seed) {
    this.stack = stack;
    random = new Random(seed);
  }

  /** How often each fault struck. */
  TreeMap<Fault, Integer> struck() {
    return struck;
  }

  /** From the SIGKILL of who scheduled to another one's taking over, in ms, in ascending order. */
  List<Long> takeovers() {
    return takeovers.stream().sorted().toList();
  }

  /**
   * Strikes at random. The first time it kills whoever schedules: that must be among it. Returns
   * while what was struck is not back yet.
   */
  void strike() throws IOException, InterruptedException {
    awaitAll();
    Scheduler before = scheduler();
    Fault fault = struck.isEmpty() ? Fault.KILL : Fault.values()[random.nextInt(3)];
    boolean leader = struck.isEmpty() || random.nextInt(2) == 0;
    Child child = leader ? stack.processes().child(before.replica()) : any();
    boolean scheduled = child.name().equals(before.replica());
    struck.merge(fault, 1, Integer::sum);
    long start = System.nanoTime();
    switch (fault) {
      case KILL -> {
        long pid = child.pid().orElseThrow();
        child.kill();
        if (scheduled) {
          awaitTakeover(before);
          takeovers.add((System.nanoTime() - start) / 1_000_000);
        }
        afterwards = () -> awaitAnother(child, pid);
      }
      case STOP -> {
        child.pause();
        if (scheduled) {
          awaitTakeover(before);
        }
        afterwards = child::resume;
      }
      case RESTART -> child.restart();
    }
  }

  /** Heals what was struck last, and returns once all of them serve. */
  void awaitAll() throws IOException, InterruptedException {
    afterwards.run();
    afterwards = () -> {};
    for (Child child : stack.processes().children(Role.DISPATCHER)) {
      stack.processes().awaitServing(child, PATIENCE);
    }
  }

  private static void awaitAnother(Child child, long before) {
    try {
      child.awaitAnother(before, PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e.getMessage(), e);
    }
  }

  private Child any() {
    List<Child> all = stack.processes().children(Role.DISPATCHER);
    return all.get(random.nextInt(all.size()));
  }

  private void awaitTakeover(Scheduler before) {
    await("another one to schedule than " + before)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(() -> scheduler().epoch() > before.epoch());
  }

  private Scheduler scheduler() {
    try {
      List<String> found = stack.database().column("select epoch || ' ' || scheduler from fleet");
      String[] words = found.getFirst().split(" ", 2);
      // A UUID follows the replica's name.
      String replica = words[1].substring(0, words[1].length() - 37);
      return new Scheduler(replica, Long.parseLong(words[0]));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
