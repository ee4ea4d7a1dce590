package io.stoker.dispatcher.model;

import io.stoker.common.state.FailureCategory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What has befallen a job.
 *
 * @param failures failed attempts by category
 * @param avoid where it failed
 * @param preemptions how often it made room for others
 */
public record Setbacks(Map<FailureCategory, Integer> failures, Avoid avoid, int preemptions) {
  static final Setbacks NONE = new Setbacks(Map.of(), Avoid.NOTHING, 0);

  /** With one failure more. */
  Setbacks failure(FailureCategory category, String onHost, List<String> onDevices) {
    Map<FailureCategory, Integer> counts = new EnumMap<>(FailureCategory.class);
    counts.putAll(failures);
    counts.merge(category, 1, Integer::sum);
    return new Setbacks(counts, avoid.and(onHost, onDevices), preemptions);
  }

  Setbacks preempted() {
    return new Setbacks(failures, avoid, preemptions + 1);
  }
}
