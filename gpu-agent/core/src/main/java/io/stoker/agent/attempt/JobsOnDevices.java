package io.stoker.agent.attempt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Maps devices to the requests whose jobs have processes there. */
public final class JobsOnDevices {
  private JobsOnDevices() {}

  /**
   * Ids of first requests, by the device's id; devices without any are left out. Jobs on the
   * workers of pools are left out, too: they come and go faster than anybody measures.
   */
  public static Map<String, List<String>> of(AgentState state) {
    Map<String, List<String>> jobs = new TreeMap<>();
    for (LiveAttempt attempt : state.live.values()) {
      boolean there = attempt.phase().process().isPresent() && !attempt.onPool();
      for (String device : there ? attempt.allocation().devices() : List.<String>of()) {
        String request = attempt.place().request();
        jobs.computeIfAbsent(device, none -> new ArrayList<>())
            .add(request == null ? attempt.place().job() : request);
      }
    }
    return jobs;
  }
}
