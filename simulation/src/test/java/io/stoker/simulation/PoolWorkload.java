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
      List.of("reset", "drain", "discard", "discard", "abort", "open");

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
    int bursts = chance.between(2, 4);
    for (int burst = 0; burst <= bursts; burst++) {
      int at =
          burst == bursts
              ? (int) world.calmFrom + chance.between(26_000, 30_000)
              : chance.between(1_500, (int) world.calmFrom + 10_000);
      plan(burst, at);
    }
    for (int i = 1; i <= OPENINGS; i++) {
      workload.later(world.calmFrom + i * OPEN_EACH, this::openAll);
    }
  }

  private void plan(int burst, int at) {
    String pool = chance.of(pools);
    int longest = chance.of(List.of(3, 10, 200, 3_000));
    int spread = chance.of(List.of(5, 300, 5_000));
    int jobs = chance.between(3, 25);
    List<String> before = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      String id = IDS + burst + "-" + i;
      ObjectNode body = task(id, pool, longest);
      if (chance.is(0.1) && !before.isEmpty()) {
        body.putArray("dependsOn").add(chance.of(before));
        body.put("dependencyTimeout", "20s");
      }
      before.add(id);
      int when = at + chance.between(0, spread);
      workload.later(when, () -> workload.post(Workload.parse(body)));
      if (chance.is(0.15)) {
        workload.later(when + chance.between(0, 2_000), () -> workload.cancel(id));
      }
    }
  }

  private ObjectNode task(String id, String pool, int longest) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.put("workers", pool);
    ObjectNode params = body.putObject("params");
    params.put("ms", chance.between(0, longest));
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
    String action = chance.of(ACTIONS);
    world.poolsReset |= action.equals("reset");
    String pool = chance.of(machine.pools).name();
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
