package io.stoker.e2e.outside;

import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.outside.Lane.Fault;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What may happen to dispatchers, Kafka, Postgres and Redis. */
final class ServiceFaults {
  static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final int LONGEST_PAUSE_MS = 9_000;

  private final StokerStack stack;
  private final Random random;

  ServiceFaults(StokerStack stack, long seed) {
    this.stack = stack;
    random = new Random(seed);
  }

  Map<String, Fault> all() {
    return Map.of(
        "dispatcher killed", () -> kill(dispatcher()),
        "dispatcher stopped for a while", () -> pause(dispatcher()),
        "dispatcher restarted", () -> restart(dispatcher()),
        "Kafka killed", () -> kill("kafka"),
        "Kafka stopped for a while", () -> pause("kafka"),
        "Postgres killed", () -> kill("postgres"),
        "Redis killed", () -> kill("redis"),
        "Redis stopped for a while", () -> pause("redis"));
  }

  private String dispatcher() {
    return List.of("dispatcher-1", "dispatcher-2").get(random.nextInt(2));
  }

  private void kill(String name) throws Exception {
    Child child = stack.processes().child(name);
    kill(child);
    serving(child);
  }

  /** What has just ended by itself is killed once it is there again. */
  static void kill(Child child) throws Exception {
    long killed = child.awaitAnother(0, PATIENCE);
    child.kill();
    child.awaitAnother(killed, PATIENCE);
  }

  private void pause(String name) throws Exception {
    Child child = stack.processes().child(name);
    child.pause();
    try {
      Thread.sleep(1_000 + random.nextInt(LONGEST_PAUSE_MS));
    } finally {
      child.resume();
    }
    serving(child);
  }

  private void restart(String name) throws Exception {
    Child child = stack.processes().child(name);
    child.restart();
    serving(child);
  }

  private void serving(Child child) throws Exception {
    EmbeddedStack processes = stack.processes();
    processes.awaitServing(child, PATIENCE);
  }
}
