package io.stoker.dispatcher.experiment;

import io.stoker.dispatcher.experiment.EarlyStopPlan.Policy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.DoubleStream;

/** Judges a job by its intermediate results, in comparison with its peers'. */
public final class EarlyStopRules {
  /** With fewer points no curve says anything. */
  static final int CURVE_POINTS = 5;

  private EarlyStopRules() {}

  /** At which of its results a job is judged that has given so many; nothing if not yet. */
  public static OptionalInt step(EarlyStopPlan plan, int results) {
    int step = results / plan.steps() * plan.steps();
    return step == 0 || step < plan.warmup() ? OptionalInt.empty() : OptionalInt.of(step);
  }

  /** Whether a job is judged by all its scores; else by how it stands. */
  public static boolean wantsScores(EarlyStopPlan plan) {
    return plan.policy() == Policy.CURVE_FITTING;
  }

  /**
   * Judges a job.
   *
   * @param own how it stands at the step
   * @param scores its own up to the step, where they are {@linkplain #wantsScores wanted}
   * @param all how it and others stand at the step
   * @return why it is to be stopped, with figures; nothing if it goes on
   */
  public static Optional<String> judge(
      EarlyStopPlan plan, Objective objective, Standing own, double[] scores, List<Standing> all) {
    List<Standing> peers = all.stream().filter(peer -> !peer.job().equals(own.job())).toList();
    if (peers.isEmpty()) {
      return Optional.empty();
    }
    return switch (plan.policy()) {
      case MEDIAN -> median(objective, own, peers);
      case BANDIT -> bandit(plan, objective, own, peers);
      case TRUNCATION -> truncation(plan, objective, own, peers);
      case CURVE_FITTING -> curve(plan, objective, scores, peers);
    };
  }

  private static Optional<String> median(Objective objective, Standing own, List<Standing> peers) {
    double mean = own.upToIt().mean();
    double[] means =
        peers.stream()
            .mapToDouble(peer -> objective.counted(peer.upToIt().mean()))
            .sorted()
            .toArray();
    int middle = means.length / 2;
    double median =
        means.length % 2 == 1 ? means[middle] : means[middle - 1] / 2 + means[middle] / 2;
    return objective.better(median, mean)
        ? Optional.of(
            "its mean of %d results is %s, worse than the median %s of %s"
                .formatted(own.upToIt().count(), shown(mean), shown(median), others(means.length)))
        : Optional.empty();
  }

  private static Optional<String> bandit(
      EarlyStopPlan plan, Objective objective, Standing own, List<Standing> peers) {
    double best = own.upToIt().best(objective);
    double theirs =
        best(objective, peers.stream().mapToDouble(peer -> peer.upToIt().best(objective)));
    double bound = objective.slackened(theirs, plan.factor());
    return objective.better(bound, best)
        ? Optional.of(
            "its best of %d results is %s, worse than %s, which follows from the best %s of %s"
                .formatted(
                    own.upToIt().count(),
                    shown(best),
                    shown(bound),
                    shown(theirs),
                    others(peers.size())))
        : Optional.empty();
  }

  private static double best(Objective objective, DoubleStream scores) {
    return scores.reduce((one, other) -> objective.better(other, one) ? other : one).orElseThrow();
  }

  /**
   * A job whose result equals others' at the cut is stopped only where all of these are among the
   * worst, too.
   */
  private static Optional<String> truncation(
      EarlyStopPlan plan, Objective objective, Standing own, List<Standing> peers) {
    int of = peers.size() + 1;
    int cut = (int) Math.floor(plan.factor() * of);
    long better = peers.stream().filter(peer -> objective.better(peer.last(), own.last())).count();
    return better >= of - cut
        ? Optional.of(
            "its result %d is %s, and %d of %d are better: the worst %d are stopped"
                .formatted(own.upToIt().count(), shown(own.last()), better, of, cut))
        : Optional.empty();
  }

  private static Optional<String> curve(
      EarlyStopPlan plan, Objective objective, double[] scores, List<Standing> peers) {
    double[] ends =
        peers.stream()
            .map(Standing::end)
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .filter(end -> !Double.isNaN(end))
            .toArray();
    if (scores.length < CURVE_POINTS || scores.length >= plan.finalStep() || ends.length == 0) {
      return Optional.empty();
    }
    double best = best(objective, Arrays.stream(ends));
    double bound = objective.slackened(best, plan.factor());
    boolean broken = Arrays.stream(scores).anyMatch(Double::isNaN);
    double predicted = broken ? Double.NaN : CurveFit.predict(scores, plan.finalStep());
    return objective.better(bound, predicted)
        ? Optional.of(
            "by its first %d results it is predicted to end with %s, worse than %s, which follows from"
                    .formatted(scores.length, shown(predicted), shown(bound))
                + " the best %s of %d that have finished".formatted(shown(best), ends.length))
        : Optional.empty();
  }

  private static String others(int count) {
    return count == 1 ? "1 other" : count + " others";
  }

  private static String shown(double number) {
    return "%.4g".formatted(number);
  }
}
