package io.stoker.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.AgentRules.Staging;
import io.stoker.agent.gate.GateRules;
import io.stoker.agent.gate.GateRules.Limit;
import io.stoker.agent.staged.GpuPriority;
import io.stoker.agent.staged.StageLimits;
import io.stoker.dispatcher.model.JobRow;
import java.math.BigDecimal;
import java.util.List;

/**
 * What people ask staged jobs for, and others that wait at the same gates, and by which limits
 * hosts let them go on.
 */
final class StagedWorkload {
  /** What the ids of its requests begin with. */
  private static final String IDS = "s";

  private static final long GIB = 1L << 30;

  private final World world;
  private final Workload workload;
  private final boolean gpus;
  private final Chance chance;

  StagedWorkload(World world, Workload workload, List<Machine> machines) {
    this.world = world;
    this.workload = workload;
    this.gpus = machines.stream().anyMatch(machine -> machine.gpus > 0);
    this.chance = world.stageChance;
  }

  /** Whether a job is a staged one. */
  static boolean isStaged(JobRow job) {
    return job.asked().firstRequest().startsWith(IDS);
  }

  /** Limits that hold some of them back, and let each go on in the end. */
  static Staging limits(Chance chance) {
    return new Staging(
        new GateRules(
            chance.of(List.of(0, 1, 2, 4)),
            chance.of(List.of(0, 1, 2, 4)),
            2 * GIB,
            2 * GIB,
            false,
            new BigDecimal("0.8"),
            limit(chance),
            limit(chance)),
        new StageLimits(chance.between(1, 3), chance.between(1, 3)),
        GpuPriority.parse(chance.of(List.of("pci", "-pci", "remaining"))));
  }

  private static Limit limit(Chance chance) {
    String part = chance.of(List.of("1", "0.9", "0.7"));
    return new Limit(new BigDecimal(part), chance.between(0, 3) * GIB);
  }

  /** Plans everything that will be posted. */
  void plan() {
    if (world.staging.isEmpty()) {
      return;
    }
    int jobs = chance.between(3, 10);
    int spread = chance.of(List.of(500, 20_000));
    int from = chance.between(0, (int) world.calmFrom * 2 / 3);
    for (int i = 0; i < jobs; i++) {
      post(staged(IDS + i), from + chance.between(0, spread));
    }
    int others = chance.between(0, 4);
    for (int i = 0; i < others; i++) {
      post(gated("gated" + i), from + chance.between(0, spread));
    }
  }

  private void post(ObjectNode body, int at) {
    workload.later(at, () -> workload.post(Workload.parse(body)));
    if (chance.is(0.15)) {
      String id = body.path("id").asText();
      workload.later(at + chance.between(0, 15_000), () -> workload.cancel(id));
    }
  }

  private ObjectNode staged(String id) {
    ObjectNode body = job(id);
    body.putArray("command").add("stage").add("s" + chance.between(1, 3));
    body.putArray("stages").add("load").add("train");
    body.withObject("params").put("load", chance.between(1, 4_000));
    body.withObject("params").put("train", chance.between(1, 8_000));
    return body;
  }

  /** One that starts as a whole once the gates are open. */
  private ObjectNode gated(String id) {
    ObjectNode body = job(id);
    body.putArray("command").add("run").add("a").add("gated" + chance.between(1, 3));
    body.withObject("params").put("ms", chance.between(1, 8_000));
    body.withObject("resources").put("gates", true);
    return body;
  }

  private ObjectNode job(String id) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    ObjectNode params = body.putObject("params");
    params.put("fails", chance.is(0.2) ? 30 : 0);
    // More than declared, and now and then more than the limits of gates leave.
    params.put("mem", chance.between(1, 7));
    params.put("gib", chance.between(2, 11));
    params.put("n", chance.is(0.1) ? "alike" : id);
    if (chance.is(0.4)) {
      body.putObject("retry").put("app", chance.between(0, 2)).put("hostLost", 5);
    }
    if (chance.is(0.1)) {
      body.put("timeout", chance.of(List.of("3s", "10s")));
    }
    if (chance.is(0.3)) {
      body.put("priority", chance.between(-5, 5));
    }
    if (chance.is(0.3)) {
      body.put("preemptible", true);
    }
    ObjectNode resources = body.putObject("resources");
    if (chance.is(0.7)) {
      resources.put("memory", chance.between(1, 6) + "GiB");
    }
    if (gpus && chance.is(0.9)) {
      resources.put("gpus", 1);
      if (chance.is(0.7)) {
        resources.put("sharing", "shared");
      }
      if (chance.is(0.7)) {
        resources.put("gpuMemory", chance.between(1, 6) + "GiB");
      }
    }
    return body;
  }
}
