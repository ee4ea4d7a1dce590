package io.stoker.dispatcher.placement;

import io.stoker.common.request.RunnerType;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The runners and pools that a host serves, and the queues that it serves them to.
 *
 * @param free jobs more that it could be given, by {@code resources.type}; jobs of {@link
 *     RunnerType#plain} types are counted by what else they take
 * @param machines that jobs run on, of types that run elsewhere
 * @param users whose jobs it takes; empty for everybody's
 */
public record Service(
    Map<String, Integer> free, Map<String, NodeMachines> machines, List<String> users) {
  /** Of a host that does not say. */
  public static final Service PLAIN =
      new Service(
          Map.of(RunnerType.CPU.key(), Integer.MAX_VALUE, RunnerType.GPU.key(), Integer.MAX_VALUE),
          Map.of(),
          List.of());

  boolean serves(String type) {
    return free.containsKey(type);
  }

  /** The machines that jobs of this type are run on. */
  NodeMachines machines(String type) {
    return machines.getOrDefault(type, NodeMachines.NONE);
  }

  /** Whether it could be given a job that takes nothing else of it. */
  boolean hasSlots() {
    return hasSlots(free);
  }

  /** The same, of what is still free. */
  static boolean hasSlots(Map<String, Integer> free) {
    return free.entrySet().stream()
        .anyMatch(
            one ->
                one.getValue() > 0
                    && !RunnerType.of(one.getKey()).map(RunnerType::onHost).orElse(true));
  }

  /** Whether it takes jobs of this user, null for nobody's. */
  boolean admits(String user) {
    return users.isEmpty() || (user != null && users.contains(user));
  }

  /** What it serves, for people. */
  String types() {
    return free.isEmpty() ? "nothing" : String.join(", ", new TreeSet<>(free.keySet()));
  }
}
