package io.stoker.simulation;

/** A process has died in the middle of something: nothing that follows there happens. */
final class Died extends RuntimeException {
  Died(Life life) {
    super(life.name() + " has died", null, false, false);
  }

  /** Dies here, or not; never goes on in a life that is over. */
  static void perhaps(World world, Life life) {
    if (Mortality.dies(world, life)) {
      throw new Died(life);
    }
  }
}
