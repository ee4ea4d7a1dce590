package io.stoker.dispatcher.experiment;

import java.util.OptionalDouble;

/**
 * The scores of a job up to the point at which it is judged; policies go by these alone, however
 * many follow.
 *
 * @param upToIt its scores up to the step
 * @param last the one at the step; NaN where no number was given, which counts as the worst
 * @param end the last of all, if the job has succeeded; else it runs
 */
public record Standing(String job, Scores upToIt, double last, OptionalDouble end) {
  /**
   * Scores, in short.
   *
   * @param count 1 or more
   * @param total what they add up to, rounded once; NaN with one that is no number
   * @param least of those that are numbers, NaN if none is
   * @param most likewise
   */
  public record Scores(int count, double total, double least, double most) {
    double mean() {
      return total / count;
    }

    double best(Objective objective) {
      return objective == Objective.MAX ? most : least;
    }
  }
}
