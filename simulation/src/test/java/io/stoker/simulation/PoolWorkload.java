package io.stoker.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.model.JobRow;
import java.util.ArrayList;
import java.util.List;

/**
 * What people ask of pools: jobs, mostly short ones and many at once, cancels, and what they tell
 * the pools themselves. In the end they open all of them.
 */
final class PoolWorkload {
  /** From one time that all pools are opened to the next, in the calm, ms. */
  private static final int OPEN_EACH = 15_000;

  private static final int OPENINGS = 8;

  /** What the ids of its requests begin with. */
  private static final String IDS = "w";

  /** What is told to pools; closing most often, since they are opened again. */
  private static final List<String> ACTIONS =
      List.of("reset", "reset", "drain", "discard", "abort", "open");

  private final World world;
  private final Workload workload;
  private final List<Machine> machines;
  private final Chance chance;
  private final List<String> pools;

  PoolWorkload(World world, Workload workload, List<Machine> machines) {
    this.world = world;
    this.workload = workload;
    this.machines = machines;
    this.chance = world.poolChance;
    this.pools =
        machines.stream()
            .flatMap(machine -> machine.pools.stream())
            .map(SimPool::name)
            .distinct()
            .toList();
  }

  /** Whether a job is one that workers run. */
  static boolean isTask(JobRow job) {
    return job.asked().firstRequest().startsWith(IDS);
  }

  /** Plans everything that will be posted. */
  void plan() {
    if (pools.isEmpty()) {
      return;
    }
    int bursts = chance.between(1, 3);
    for (int burst = 0; burst <= bursts; burst++) {
      int at =
          burst == bursts
              ? (int) world.calmFrom + chance.between(26_000, 30_000)
              : chance.between(1_500, (int) world.calmFrom);
      plan(burst, at);
    }
    for (int i = 1; i <= OPENINGS; i++) {
      workload.later(world.calmFrom + i * OPEN_EACH, this::openAll);
    }
  }

  private void plan(int burst, int at) {
    String pool = chance.of(pools);
    // Of short ones that come at once workers are told some ahead.
    boolean ahead = chance.is(0.5);
    int longest = ahead ? 3 : chance.of(List.of(10, 200, 3_000));
    int spread = chance.of(List.of(5, 300, 5_000));
    int jobs = ahead ? chance.between(8, 20) : chance.between(3, 12);
    // What comes behind this one waits, and is withdrawn when it is cancelled.
    int slow = ahead ? jobs * 2 / 3 : jobs;
    double cancelled = chance.is(0.3) ? 0.8 : 0.15;
    if (at < world.calmFrom && chance.is(4 * world.faults.of(Fault.POOL_TOLD))) {
      workload.later(at + chance.between(20, 600), () -> tellOne(pool));
    }
    List<String> before = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      String id = IDS + burst + "-" + i;
      ObjectNode body = task(id, pool, i == slow ? 3_000 : chance.between(0, longest));
      if (chance.is(0.1) && !before.isEmpty()) {
        body.putArray("dependsOn").add(chance.of(before));
        body.put("dependencyTimeout", "20s");
      }
      before.add(id);
      int when = at + (ahead ? i : chance.between(0, spread));
      workload.later(when, () -> workload.post(Workload.parse(body)));
      if (chance.is(i > slow ? 0.7 : cancelled)) {
        int within = i > slow ? 1_000 : 2_000;
        workload.later(when + chance.between(0, within), () -> workload.cancel(id));
      }
    }
  }

  /** While it has much to do. */
  private void tellOne(String pool) {
    machines.stream()
        .filter(machine -> machine.pools.stream().anyMatch(one -> one.name().equals(pool)))
        .forEach(machine -> tell(machine, pool));
  }

  private ObjectNode task(String id, String pool, int ms) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.put("workers", pool);
    ObjectNode params = body.putObject("params");
    params.put("ms", ms);
    params.put("fails", chance.is(0.2) ? 60 : 5);
    // Now and then equal to others.
    params.put("n", chance.is(0.1) ? "alike" : id);
    if (chance.is(0.4)) {
      body.putObject("retry").put("app", chance.between(0, 2)).put("hostLost", 5);
    }
    if (chance.is(0.15)) {
      body.put("timeout", chance.of(List.of("100ms", "1s")));
    }
    if (chance.is(0.1)) {
      body.put("queueTimeout", chance.of(List.of("1s", "10s")));
    }
    if (chance.is(0.2)) {
      body.put("priority", chance.between(-5, 5));
    }
    if (chance.is(0.2)) {
      body.put("group", Settings.GROUP);
    }
    return body;
  }

  /** People tell a pool of a host something. */
  void tell(Machine machine) {
    tell(machine, chance.of(machine.pools).name());
  }

  private void tell(Machine machine, String pool) {
    String action = chance.of(ACTIONS);
    world.poolsReset |= action.equals("reset");
    tell(machine, pool, action);
    workload.later(world.now() + chance.between(1_000, 10_000), () -> tell(machine, pool, "open"));
  }

  private void openAll() {
    machines.forEach(machine -> machine.pools.forEach(pool -> tell(machine, pool.name(), "open")));
  }

  private void tell(Machine machine, String pool, String action) {
    workload.tell(
        machine.host, new ControlMessage.Pool(workload.nextId(), machine.host, pool, action));
  }
}
