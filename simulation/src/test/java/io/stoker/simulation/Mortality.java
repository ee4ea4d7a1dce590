package io.stoker.simulation;

/** Death between two effects. */
final class Mortality {
  private Mortality() {}

  /** Whether the process dies here, at the boundary between what it did and what it would do. */
  static boolean dies(World world, Life life) {
    if (life.over()) {
      return true;
    }
    if (life.frailty().filter(kind -> world.fault(kind, world.chance, life.host())).isPresent()) {
      world.note(life.name(), "crashes");
      life.crash();
    }
    return life.over();
  }
}
