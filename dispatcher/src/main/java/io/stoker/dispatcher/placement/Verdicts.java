package io.stoker.dispatcher.placement;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a pass has found of jobs in line that no host can ever serve.
 *
 * @param ends by job, why it is to fail: its queue lets it wait no longer
 * @param tells by job, what its status is to say
 * @param withdraws jobs whose status is not to say it any more
 */
public record Verdicts(Map<String, String> ends, Map<String, String> tells, Set<String> withdraws) {
  /** Whether there is nothing to do. */
  public boolean isEmpty() {
    return ends.isEmpty() && tells.isEmpty() && withdraws.isEmpty();
  }

  /** All jobs that it is about. */
  public Set<String> jobs() {
    Set<String> jobs = new HashSet<>(withdraws);
    jobs.addAll(ends.keySet());
    jobs.addAll(tells.keySet());
    return jobs;
  }
}
