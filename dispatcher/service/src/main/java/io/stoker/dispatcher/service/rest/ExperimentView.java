package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.Objective;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The plan and the end of a group that was made with a plan, or was stopped.
 *
 * @param state RUNNING, FAILING, STOPPING, FINISHED, FAILED or STOPPED
 * @param reason why it is being ended, or was, before its time
 * @param objective max or min; null for a group that is no experiment
 * @param failure stop or ignore; null for a group that is no experiment
 * @param memory bytes of host memory that its jobs are expected to take; null if nothing is
 * @param gpuMemory bytes of a GPU likewise
 * @param best the request with the best score so far; null if none has one
 * @param endedAt ISO 8601
 */
public record ExperimentView(
    ExperimentRow.State state,
    String reason,
    String objective,
    Integer parallel,
    String failure,
    List<String> resultLabels,
    EarlyStopView earlyStopping,
    String after,
    Long memory,
    Long gpuMemory,
    BestView best,
    String createdAt,
    String endedAt) {
  /** The best of it. */
  public record BestView(String id, double score) {}

  /** When jobs are ended early. */
  public record EarlyStopView(
      String policy, int warmup, int steps, double factor, Integer finalStep) {
    static EarlyStopView of(EarlyStopPlan plan) {
      return new EarlyStopView(
          plan.policy().name().toLowerCase(Locale.ROOT),
          plan.warmup(),
          plan.steps(),
          plan.factor(),
          plan.finalStep() == 0 ? null : plan.finalStep());
    }
  }

  static ExperimentView of(ExperimentRow row, Optional<Best> best) {
    var plan = row.plan();
    return new ExperimentView(
        row.state(),
        row.reason(),
        plan.experiment() ? plan.objective() == Objective.MAX ? "max" : "min" : null,
        plan.parallel(),
        plan.experiment() ? plan.stopOnFailure() ? "stop" : "ignore" : null,
        plan.resultLabels().isEmpty() ? null : plan.resultLabels(),
        plan.stopping() == null ? null : EarlyStopView.of(plan.stopping()),
        plan.after(),
        plan.memory(),
        plan.gpuMemory(),
        best.map(found -> new BestView(found.id(), found.score())).orElse(null),
        Instant.ofEpochMilli(row.createdAt()).toString(),
        row.endedAt() == null ? null : Instant.ofEpochMilli(row.endedAt()).toString());
  }
}
