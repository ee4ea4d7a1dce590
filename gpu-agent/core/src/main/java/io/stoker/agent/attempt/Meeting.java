package io.stoker.agent.attempt;

import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import java.util.HashMap;
import java.util.Map;

/**
 * The port at which a gang meets whose rank 0 is here.
 *
 * @param port of this host
 * @param begun whether its gang was complete, so that rank 0 may have been started
 */
public record Meeting(int port, boolean begun) {
  /** Those of all attempts that have not ended, and of those that wait for an earlier one's end. */
  public static Map<AttemptKey, Meeting> all(AgentState state) {
    Map<AttemptKey, Meeting> all = new HashMap<>();
    state.live.values().forEach(attempt -> add(attempt.place(), !attempt.awaitsGang(), all));
    state.afterKill.values().forEach(place -> add(place, false, all));
    return all;
  }

  private static void add(Place place, boolean begun, Map<AttemptKey, Meeting> all) {
    Gang gang = place.gang();
    if (gang != null && gang.rank() == 0 && gang.address() != null) {
      int port = Integer.parseInt(gang.address().substring(gang.address().lastIndexOf(':') + 1));
      all.put(AttemptKey.of(place), new Meeting(port, begun));
    }
  }
}
