package io.stoker.e2e.simulation;

/** Death between two effects. */
final class Mortality {
  private Mortality() {}

  /** Whether the process dies here, at the boundary between what it did and what it would do. */
  static boolean dies(World world, Life life) {
    if (life.over()) {
      return true;
    }
    if (world.fault(life.frailty(world.faults))) {
      world.note(life.name(), "crashes");
      life.end();
    }
    return life.over();
  }
}
