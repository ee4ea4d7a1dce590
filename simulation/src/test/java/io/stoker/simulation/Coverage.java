package io.stoker.simulation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What runs came to.
 *
 * @param seeds how many runs
 * @param steps things that happened in them, one at a time
 * @param struck how often each kind of fault did
 * @param reached in which states of what it struck each did
 */
record Coverage(int seeds, long steps, Map<Fault, Integer> struck, Map<Fault, Set<Stand>> reached) {

  /** Of no run yet. */
  static Coverage none() {
    return new Coverage(0, 0, new EnumMap<>(Fault.class), new EnumMap<>(Fault.class));
  }

  /** A fault strikes where these states are. */
  void strike(Fault kind, Set<Stand> states) {
    struck.merge(kind, 1, Integer::sum);
    reached.computeIfAbsent(kind, first -> EnumSet.noneOf(Stand.class)).addAll(states);
  }

  /** Of one run, which is over. */
  Coverage over(int itsSteps) {
    return new Coverage(1, itsSteps, struck, reached);
  }

  Coverage and(Coverage other) {
    Coverage sum =
        new Coverage(
            seeds + other.seeds, steps + other.steps, new EnumMap<>(Fault.class), none().reached());
    for (Coverage one : new Coverage[] {this, other}) {
      one.struck.forEach((kind, times) -> sum.struck.merge(kind, times, Integer::sum));
      one.reached.forEach(
          (kind, states) ->
              sum.reached
                  .computeIfAbsent(kind, first -> EnumSet.noneOf(Stand.class))
                  .addAll(states));
    }
    return sum;
  }

  /** A table for people: each kind of fault with the states in which it never struck. */
  String table() {
    String rows =
        Arrays.stream(Fault.values())
            .map(
                kind ->
                    "%-17s %9d  %s"
                        .formatted(name(kind), struck.getOrDefault(kind, 0), never(kind)))
            .collect(Collectors.joining("\n"));
    return "%d seeds, %d steps%n%-17s %9s  %s%n%s"
        .formatted(seeds, steps, "fault", "struck", "never in the state", rows);
  }

  private String never(Fault kind) {
    if (!struck.containsKey(kind)) {
      return "any";
    }
    Set<Stand> never = EnumSet.complementOf(EnumSet.copyOf(reached.get(kind)));
    return never.isEmpty()
        ? "-"
        : never.stream().map(Coverage::name).collect(Collectors.joining(", "));
  }

  private static String name(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
