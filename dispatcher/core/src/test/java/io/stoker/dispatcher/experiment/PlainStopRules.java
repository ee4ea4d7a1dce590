package io.stoker.dispatcher.experiment;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The rules word for word: all scores of all jobs are gone through for each judgement. */
public final class PlainStopRules {
  private PlainStopRules() {}

  /**
   * A job and its intermediate scores, in order.
   *
   * @param finished whether it has succeeded; else it runs
   */
  public record Series(String job, double[] scores, boolean finished) {

    /** How it stood at a step, gone through from its first score on. */
    public Standing at(int step) {
      double[] upToIt = Arrays.copyOf(scores, step);
      return new Standing(
          job,
          new Standing.Scores(
              step,
              mean(upToIt, step) * step,
              best(Objective.MIN, upToIt, step),
              best(Objective.MAX, upToIt, step)),
          upToIt[step - 1],
          finished ? OptionalDouble.of(scores[scores.length - 1]) : OptionalDouble.empty());
    }
  }

  /**
   * Judges a job.
   *
   * @param all its own scores and others'; those with fewer than {@code step} are no peers
   * @return why it is to be stopped, with figures; nothing if it goes on
   */
  public static Optional<String> judge(
      EarlyStopPlan plan, Objective objective, Series own, int step, List<Series> all) {
    double[] scores = Arrays.copyOf(own.scores(), step);
    List<Series> peers =
        all.stream()
            .filter(peer -> !peer.job().equals(own.job()) && peer.scores().length >= step)
            .toList();
    if (peers.isEmpty()) {
      return Optional.empty();
    }
    return switch (plan.policy()) {
      case MEDIAN -> median(objective, scores, peers);
      case BANDIT -> bandit(plan, objective, scores, peers);
      case TRUNCATION -> truncation(plan, objective, scores, peers);
      case CURVE_FITTING -> curve(plan, objective, scores, peers);
    };
  }

  private static Optional<String> median(Objective objective, double[] scores, List<Series> peers) {
    double mean = mean(scores, scores.length);
    double[] means =
        peers.stream().mapToDouble(peer -> mean(peer.scores(), scores.length)).sorted().toArray();
    int middle = means.length / 2;
    double median =
        means.length % 2 == 1 ? means[middle] : means[middle - 1] / 2 + means[middle] / 2;
    return objective.better(median, mean)
        ? Optional.of(
            "its mean of %d results is %s, worse than the median %s of %s"
                .formatted(scores.length, shown(mean), shown(median), others(means.length)))
        : Optional.empty();
  }

  private static String others(int count) {
    return count + (count > 1 ? " others" : " other");
  }

  private static double mean(double[] scores, int first) {
    BigDecimal total =
        Arrays.stream(scores, 0, first)
            .mapToObj(BigDecimal::valueOf)
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    return total.doubleValue() / first;
  }

  private static Optional<String> bandit(
      EarlyStopPlan plan, Objective objective, double[] scores, List<Series> peers) {
    double own = best(objective, scores, scores.length);
    double theirs =
        best(
            objective,
            peers.stream()
                .mapToDouble(peer -> best(objective, peer.scores(), scores.length))
                .toArray(),
            peers.size());
    double bound = bound(objective == Objective.MAX, theirs, plan.factor());
    return objective.better(bound, own)
        ? Optional.of(
            "its best of %d results is %s, worse than %s, which follows from the best %s of %s"
                .formatted(
                    scores.length, shown(own), shown(bound), shown(theirs), others(peers.size())))
        : Optional.empty();
  }

  private static double best(Objective objective, double[] scores, int first) {
    return Arrays.stream(scores, 0, first)
        .reduce((one, other) -> objective.better(other, one) ? other : one)
        .orElseThrow();
  }

  /**
   * A job whose result equals others' at the cut is stopped only where all of these are among the
   * worst, too.
   */
  private static Optional<String> truncation(
      EarlyStopPlan plan, Objective objective, double[] scores, List<Series> peers) {
    int step = scores.length;
    double own = scores[step - 1];
    int of = peers.size() + 1;
    int cut = (int) Math.floor(plan.factor() * of);
    long better =
        peers.stream().filter(peer -> objective.better(peer.scores()[step - 1], own)).count();
    return better >= of - cut
        ? Optional.of(
            "its result %d is %s, and %d of %d are better: the worst %d are stopped"
                .formatted(step, shown(own), better, of, cut))
        : Optional.empty();
  }

  /** More than four points, a finished peer, and something that could still be saved. */
  private static Optional<String> curve(
      EarlyStopPlan plan, Objective objective, double[] scores, List<Series> peers) {
    boolean most = objective == Objective.MAX;
    int finished = 0;
    double best = most ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    for (Series peer : peers) {
      if (peer.finished()) {
        finished++;
        double end = peer.scores()[peer.scores().length - 1];
        best = most ? Math.max(best, end) : Math.min(best, end);
      }
    }
    if (scores.length <= 4 || scores.length >= plan.finalStep() || finished == 0) {
      return Optional.empty();
    }
    double predicted = CurveFit.predict(scores, plan.finalStep());
    double bound = bound(most, best, plan.factor());
    return (most ? predicted < bound : predicted > bound)
        ? Optional.of(
            "by its first "
                + scores.length
                + " results it is predicted to end with "
                + shown(predicted)
                + ", worse than "
                + shown(bound)
                + ", which follows from the best "
                + shown(best)
                + " of "
                + finished
                + " that have finished")
        : Optional.empty();
  }

  /** A part of the best where that is a gain, and as much beyond it where it is a loss. */
  private static double bound(boolean most, double best, double factor) {
    if (most) {
      return best < 0 ? best * (2 - factor) : best * factor;
    }
    return best < 0 ? best * factor : best * (2 - factor);
  }

  private static String shown(double number) {
    return "%.4g".formatted(number);
  }
}
