package io.stoker.simulation;

import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.Experiment;
import java.util.List;

/**
 * What people ask of groups with a plan: they make them, before or after the first requests, one
 * after another, twice by one message or by two, stop some and close them. In the end they close
 * all of them.
 */
final class PlanWorkload {
  /** Of which requests are, whether they get a plan or not. */
  static final List<String> GROUPS = List.of("p0", "p1", "p2");

  /**
   * Others may come after this one. Its requests wait for nobody: else one of them could wait for a
   * request whose group waits for it, and nobody sees such a circle.
   */
  static final String FIRST = "p2";

  /** In the calm, when all is closed, ms after it has begun. */
  private static final int CLOSED_AT = 40_000;

  private final World world;
  private final Workload workload;
  private final Chance chance;

  PlanWorkload(World world, Workload workload) {
    this.world = world;
    this.workload = workload;
    this.chance = world.planChance;
  }

  /** Plans everything that will be told. */
  void plan() {
    if (!world.plans) {
      return;
    }
    for (String group : GROUPS) {
      if (chance.is(0.8)) {
        plan(group);
      }
      for (String name : List.of(group, group + " (1)", group + " (2)")) {
        workload.later(world.calmFrom + CLOSED_AT, () -> tell(name, "close"));
      }
    }
  }

  private void plan(String group) {
    int at = chance.is(0.6) ? chance.between(0, 300) : chance.between(0, (int) world.calmFrom);
    ControlMessage.Group create = create(group);
    tellAt(at, create);
    if (chance.is(0.2)) {
      tellAt(chance.between(0, (int) world.calmFrom), create);
    }
    if (chance.is(0.1)) {
      tellAt(chance.between(0, (int) world.calmFrom), create(group));
    }
    if (chance.is(0.25)) {
      workload.later(chance.between(0, (int) world.calmFrom), () -> tell(group, "stop"));
    }
    if (chance.is(0.3)) {
      workload.later(at + chance.between(0, 20_000), () -> tell(group, "close"));
    }
  }

  private ControlMessage.Group create(String group) {
    String after = chance.is(0.4) ? FIRST : null;
    Experiment experiment =
        new Experiment(
            chance.is(0.5) ? "min" : null,
            chance.is(0.7) ? chance.between(1, 3) : null,
            chance.is(0.5) ? "ignore" : null,
            null,
            null);
    boolean plain = after != null && chance.is(0.3);
    return new ControlMessage.Group(
        workload.nextId(), group, "create", after, plain ? null : experiment, null);
  }

  private void tellAt(long at, ControlMessage.Group message) {
    workload.later(at, () -> workload.tell(message.group(), message));
  }

  private void tell(String group, String action) {
    workload.tell(
        group, new ControlMessage.Group(workload.nextId(), group, action, null, null, null));
  }
}
