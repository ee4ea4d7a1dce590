package io.stoker.simulation;

import java.util.EnumMap;
import java.util.Map;

/**
 * How often what goes wrong in a run. Every seed draws its own mixture, in which some faults are
 * absent: a fault that is always there hides what only its absence shows.
 */
final class Faults {
  private final Map<Fault, Double> probabilities;

  private Faults(Map<Fault, Double> probabilities) {
    this.probabilities = probabilities;
  }

  static Faults none() {
    return new Faults(new EnumMap<>(Fault.class));
  }

  /** The same with another probability of one kind. */
  Faults with(Fault kind, double probability) {
    Map<Fault, Double> others = new EnumMap<>(probabilities);
    others.put(kind, probability);
    return new Faults(others);
  }

  /**
   * A mixture.
   *
   * @param later by which kinds are drawn that came later: what else a seed draws stays as it is
   * @param pools likewise, of those that strike pools of workers
   * @param stages likewise, of those that strike staged jobs
   */
  static Faults drawn(Chance chance, Chance later, Chance pools, Chance stages) {
    Map<Fault, Double> drawn = new EnumMap<>(Fault.class);
    for (Fault kind : Fault.values()) {
      boolean first = kind.compareTo(Fault.FORMER_AGENTS) <= 0;
      boolean ofPools = kind.compareTo(Fault.WORKER_CRASH) >= 0;
      boolean ofStages = kind.compareTo(Fault.STAGED_CRASH) >= 0;
      Chance by = first ? chance : ofStages ? stages : ofPools ? pools : later;
      drawn.put(kind, maybe(by, kind.most));
    }
    return new Faults(drawn);
  }

  private static double maybe(Chance chance, double most) {
    return chance.is(0.4) ? 0 : most * chance.between(1, 10) / 10;
  }

  /** The probability of one kind. */
  double of(Fault kind) {
    return probabilities.getOrDefault(kind, 0.0);
  }

  /** As {@link SimDatabase} asks. */
  Fault refused() {
    return Fault.REFUSED;
  }

  /** As {@link SimDatabase} and {@link StatusReading} ask. */
  Fault replyLost() {
    return Fault.REPLY_LOST;
  }
}
