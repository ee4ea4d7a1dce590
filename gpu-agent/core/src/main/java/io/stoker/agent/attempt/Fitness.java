package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent.Warning;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tells whether an agent can take jobs. What runs goes on in any case, and the lease is renewed: a
 * host that is not fit takes nothing new until it is.
 *
 * @param troubles for people, by the part that is not as it should be
 */
record Fitness(Map<Part, String> troubles) {
  static final Fitness SOUND = new Fitness(Map.of());
  private static final Set<Part> DISKS =
      Set.of(Part.DISK, Part.JOURNAL, Part.REPORTS, Part.DEADLINE);

  /** With what was last found out about a part; empty if it works. */
  Fitness judged(Part part, Optional<String> trouble) {
    Map<Part, String> all = new EnumMap<>(Part.class);
    all.putAll(troubles);
    trouble.ifPresentOrElse(why -> all.put(part, why), () -> all.remove(part));
    return new Fitness(all);
  }

  boolean lacks(Part part) {
    return troubles.containsKey(part);
  }

  /** What the dispatcher is told with a placement that is turned down; null if nothing is. */
  Warning warning() {
    return DISKS.stream().anyMatch(this::lacks) ? Warning.DISK : null;
  }

  /** Why nothing new is taken; empty if jobs are. */
  Optional<String> why() {
    return troubles.isEmpty()
        ? Optional.empty()
        : Optional.of(String.join("; ", new EnumMap<>(troubles).values()));
  }
}
