package io.stoker.dispatcher.experiment;

import io.stoker.common.message.Experiment.EarlyStopping;
import java.util.Locale;
import java.util.Optional;

/**
 * A plan for ending jobs early, with all defaults filled in.
 *
 * @param warmup results that a job may give before it is judged
 * @param steps a job is judged at each so-manieth result
 * @param factor the policy's
 * @param finalStep results of a whole run; 0 where the policy does not need it
 */
public record EarlyStopPlan(Policy policy, int warmup, int steps, double factor, int finalStep) {
  /** How jobs are judged. */
  public enum Policy {
    /** Its mean so far against the median of its peers' means. */
    MEDIAN(1),
    /** Its best so far against a part of its peers' best. */
    BANDIT(0.5),
    /** Its rank: so many of the worst are ended. */
    TRUNCATION(0.3),
    /** What it is predicted to end with against the best end so far. */
    CURVE_FITTING(0.95);

    private final double factor;

    Policy(double factor) {
      this.factor = factor;
    }

    String shown() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static EarlyStopPlan of(EarlyStopping asked) throws PlanRefused {
    Policy policy = policy(asked.policy());
    int warmup = Optional.ofNullable(asked.warmup()).orElse(0);
    int steps = Optional.ofNullable(asked.steps()).orElse(1);
    double factor = Optional.ofNullable(asked.factor()).orElse(policy.factor);
    int finalStep = Optional.ofNullable(asked.finalStep()).orElse(0);
    if (warmup < 0) {
      throw new PlanRefused("earlyStopping.warmup", warmup, "0 or more");
    }
    if (steps < 1) {
      throw new PlanRefused("earlyStopping.steps", steps, "1 or more");
    }
    if (!(factor > 0 && factor <= 1)) {
      throw new PlanRefused("earlyStopping.factor", factor, "more than 0 and at most 1");
    }
    if (finalStep < 1 && (asked.finalStep() != null || policy == Policy.CURVE_FITTING)) {
      throw new PlanRefused(
          "earlyStopping.finalStep", asked.finalStep(), "1 or more, the results of a whole run");
    }
    return new EarlyStopPlan(policy, warmup, steps, factor, finalStep);
  }

  private static Policy policy(String name) throws PlanRefused {
    for (Policy policy : Policy.values()) {
      if (policy.shown().equals(name)) {
        return policy;
      }
    }
    throw new PlanRefused(
        "earlyStopping.policy", name, "median, bandit, truncation or curve_fitting");
  }
}
