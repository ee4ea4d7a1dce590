package io.stoker.dispatcher.placement;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The findings of a pass on jobs in line that no host can ever serve.
 *
 * @param ends by job, why it is to fail: its queue lets it wait no longer
 * @param tells by job, what its status is to say
 * @param withdraws jobs whose status is not to say it any more
 */
public record Verdicts(Map<String, String> ends, Map<String, String> tells, Set<String> withdraws) {
  /** Both of them, of different jobs. */
  public Verdicts and(Verdicts other) {
    Map<String, String> allEnds = new LinkedHashMap<>(ends);
    allEnds.putAll(other.ends);
    Map<String, String> allTells = new LinkedHashMap<>(tells);
    allTells.putAll(other.tells);
    Set<String> allWithdraws = new LinkedHashSet<>(withdraws);
    allWithdraws.addAll(other.withdraws);
    return new Verdicts(allEnds, allTells, allWithdraws);
  }

  /** Without these jobs, of which something else has come. */
  public Verdicts without(Set<String> jobs) {
    Map<String, String> otherEnds = new LinkedHashMap<>(ends);
    otherEnds.keySet().removeAll(jobs);
    Map<String, String> otherTells = new LinkedHashMap<>(tells);
    otherTells.keySet().removeAll(jobs);
    Set<String> otherWithdraws = new LinkedHashSet<>(withdraws);
    otherWithdraws.removeAll(jobs);
    return new Verdicts(otherEnds, otherTells, otherWithdraws);
  }

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
