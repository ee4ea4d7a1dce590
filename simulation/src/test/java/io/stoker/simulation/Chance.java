package io.stoker.simulation;

import java.util.List;
import java.util.Random;

/** The one source of chance of a simulation: the same seed gives the same run. */
final class Chance {
  private final Random random;

  Chance(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
  }

  /** True with this probability. */
  boolean is(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** From {@code least} to {@code most}, both included. */
  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  long bits() {
    return random.nextLong();
  }
}
