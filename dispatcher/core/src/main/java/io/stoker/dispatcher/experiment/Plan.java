package io.stoker.dispatcher.experiment;

import io.stoker.common.message.Experiment;
import io.stoker.common.message.GroupEstimates;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.ByteSize;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a group, with all defaults filled in.
 *
 * @param experiment whether it is one; else it is a group that is stopped, or waits for another
 * @param parallel jobs that may be placed or running at once; null for no limit
 * @param stopOnFailure whether the first request that fails ends it
 * @param resultLabels for requests that have none of their own
 * @param after the group that has to end first; null for none
 * @param stopping null where nothing is stopped early
 * @param memory bytes of host memory that its jobs are expected to take which wait at gates and do
 *     not say so; null if nothing is
 * @param gpuMemory bytes of a GPU likewise
 */
public record Plan(
    boolean experiment,
    Objective objective,
    Integer parallel,
    boolean stopOnFailure,
    List<String> resultLabels,
    String after,
    EarlyStopPlan stopping,
    Long memory,
    Long gpuMemory) {
  private static final int LONGEST = 128;

  /** Requests say it in bytes, as an integer of JSON, which is exact up to here. */
  private static final long MOST_BYTES = 1L << 53;

  /** A group that is no experiment. */
  public static Plan plain(String after) {
    return new Plan(false, Objective.MAX, null, false, List.of(), after, null, null, null);
  }

  /**
   * Reads what was asked for.
   *
   * @throws PlanRefused names the field, its value and what was expected
   */
  public static Plan of(String group, String after, Experiment asked) throws PlanRefused {
    if (after != null && (after.isEmpty() || after.length() > LONGEST || after.equals(group))) {
      throw new PlanRefused("after", after, "the name of another group");
    }
    if (asked == null) {
      return plain(after);
    }
    if (asked.parallel() != null && asked.parallel() < 1) {
      throw new PlanRefused("parallel", asked.parallel(), "1 or more");
    }
    List<String> labels = Optional.ofNullable(asked.resultLabels()).orElse(List.of());
    if (labels.size() > JobRequest.MAX_RESULT_LABELS
        || !labels.stream().allMatch(Plan::isLabel)
        || labels.stream().distinct().count() < labels.size()) {
      throw new PlanRefused(
          "resultLabels",
          labels,
          "names that differ from each other, %d at most, of 1 to %d characters"
              .formatted(JobRequest.MAX_RESULT_LABELS, JobRequest.MAX_RESULT_LABEL));
    }
    return new Plan(
        true,
        switch (Optional.ofNullable(asked.objective()).orElse("max")) {
          case "max" -> Objective.MAX;
          case "min" -> Objective.MIN;
          default -> throw new PlanRefused("objective", asked.objective(), "max or min");
        },
        asked.parallel(),
        switch (Optional.ofNullable(asked.failure()).orElse("stop")) {
          case "stop" -> true;
          case "ignore" -> false;
          default -> throw new PlanRefused("failure", asked.failure(), "stop or ignore");
        },
        List.copyOf(labels),
        after,
        asked.earlyStopping() == null ? null : EarlyStopPlan.of(asked.earlyStopping()),
        null,
        null);
  }

  private static boolean isLabel(String label) {
    return label != null && !label.isEmpty() && label.length() <= JobRequest.MAX_RESULT_LABEL;
  }

  /**
   * The same with what its jobs are expected to take.
   *
   * @throws PlanRefused for what is no size
   */
  public Plan expecting(GroupEstimates estimates) throws PlanRefused {
    return estimates == null
        ? this
        : new Plan(
            experiment,
            objective,
            parallel,
            stopOnFailure,
            resultLabels,
            after,
            stopping,
            size("estimates.memory", estimates.memory()),
            size("estimates.gpuMemory", estimates.gpuMemory()));
  }

  private static Long size(String field, String value) throws PlanRefused {
    if (value == null) {
      return null;
    }
    try {
      long bytes = ByteSize.parse(value);
      if (bytes <= MOST_BYTES) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Said below, with the field's name.
    }
    throw new PlanRefused(field, value, "a size such as \"4GiB\", 8PiB at most");
  }
}
