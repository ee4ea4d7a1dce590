package io.stoker.common.message;

import java.util.List;

/**
 * The plan that makes a group an experiment: a search for the best score. All of it may be left
 * out.
 *
 * @param objective {@code max}, the default, or {@code min}
 * @param parallel jobs of it that may be placed or running at once; null for no limit
 * @param failure {@code stop}, the default, ends it at the first request that fails, and lets what
 *     runs go on to its end; {@code ignore} goes on
 * @param resultLabels for requests of it that have none of their own
 * @param earlyStopping when jobs are ended whose intermediate results are worse than others'; null
 *     for never
 */
public record Experiment(
    String objective,
    Integer parallel,
    String failure,
    List<String> resultLabels,
    EarlyStopping earlyStopping) {
  /**
   * When a job is ended early.
   *
   * @param policy {@code median}, {@code bandit}, {@code truncation} or {@code curve_fitting}
   * @param warmup results that a job may give before it is judged; null for 0
   * @param steps a job is judged at each so-manieth result; null for 1
   * @param factor of {@code bandit} (0.5), {@code truncation} (0.3) and {@code curve_fitting}
   *     (0.95); null for these
   * @param finalStep results of a whole run, which {@code curve_fitting} needs
   */
  public record EarlyStopping(
      String policy, Integer warmup, Integer steps, Double factor, Integer finalStep) {}
}
