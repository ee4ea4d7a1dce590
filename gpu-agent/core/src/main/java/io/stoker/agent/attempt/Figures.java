package io.stoker.agent.attempt;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Levels of what an agent does, at one moment.
 *
 * @param attempts live ones by where they stand, every state named
 * @param reportsKept ends that the dispatcher has not closed yet
 * @param idle attempts whose GPUs do next to nothing for longer than they should
 * @param cpuSlotsTaken of those that the host has
 * @param epoch the one that it acts in, if it has one
 */
public record Figures(
    Map<String, Integer> attempts,
    int reportsKept,
    int idle,
    int cpuSlotsTaken,
    OptionalLong epoch) {
  /** As the state is now; to be asked on the thread that it belongs to. */
  public static Figures of(AgentState state) {
    Map<String, Integer> attempts = new LinkedHashMap<>();
    for (String name : new String[] {"waiting", "launching", "running", "ending"}) {
      attempts.put(name, 0);
    }
    state.live.values().forEach(attempt -> attempts.merge(name(attempt.phase()), 1, Integer::sum));
    return new Figures(
        attempts,
        state.reports.size(),
        (int) state.idle.values().stream().filter(IdleSince::told).count(),
        state.ledger.allocations().stream().mapToInt(given -> given.cpuSlots()).sum(),
        state.lease.epoch());
  }

  private static String name(Phase phase) {
    return switch (phase) {
      case Phase.Waiting waiting -> "waiting";
      case Phase.Launching launching -> "launching";
      case Phase.ToldAhead told -> "launching";
      case Phase.Running running -> "running";
      case Phase.Ending ending -> "ending";
    };
  }
}
