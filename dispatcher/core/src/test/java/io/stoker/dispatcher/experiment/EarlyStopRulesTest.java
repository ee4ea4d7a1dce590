package io.stoker.dispatcher.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.experiment.EarlyStopPlan.Policy;
import io.stoker.dispatcher.experiment.PlainStopRules.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EarlyStopRulesTest {

  @ParameterizedTest
  @CsvSource({
    // results, steps, warmup -> step
    "0, 1, 0, ",
    "1, 1, 0, 1",
    "7, 1, 0, 7",
    "2, 3, 0, ",
    "3, 3, 0, 3",
    "5, 3, 0, 3",
    "6, 3, 0, 6",
    "2, 1, 3, ",
    "3, 1, 3, 3",
    "5, 2, 5, ",
    "6, 2, 5, 6",
  })
  void isJudgedAtWholeSteps(int results, int steps, int warmup, Integer step) {
    EarlyStopPlan plan = new EarlyStopPlan(Policy.MEDIAN, warmup, steps, 1, 0);
    assertThat(EarlyStopRules.step(plan, results))
        .isEqualTo(step == null ? OptionalInt.empty() : OptionalInt.of(step));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // objective; own; peers; stopped
        "MAX; 1 1; ; false",
        "MAX; 1 2; 2 2; true",
        "MAX; 1 3; 2 2; false", // as good as the median goes on
        "MAX; 1 2; 1 1 9, 2 3, 5 5; true", // means 1, 2.5, 5
        "MAX; 1 4; 1 1 9, 2 3, 5 5; false",
        "MAX; 1 2; 1 1, 2 3; true", // median of two: 1.75
        "MAX; 1 2.5; 1 1, 2 3; false",
        "MAX; 1 2; 9; false", // a peer with too few results is none
        "MIN; 1 2; 2 2; false",
        "MIN; 3 2; 2 2; true",
        "MIN; -1 -1; -2 -2; true",
        "MAX; -1 -1; -2 -2; false",
      })
  void median(Objective objective, String own, String peers, boolean stopped) {
    assertThat(judge(plan(Policy.MEDIAN, 1), objective, own, running(peers)).isPresent())
        .isEqualTo(stopped);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // a part of a gain: below half of the best
        "MAX; 0.4 0.3; 1 0.2; true",
        "MAX; 0.5 0.3; 1 0.2; false",
        "MAX; 0.4 0.6; 1 0.2; false", // its best so far counts
        "MAX; 0.4 0.4; 0.5 0.6 9, 0.7 0.1; false", // later results of peers do not
        // the sign turns it round
        "MAX; -16 -17; -10 -11; true",
        "MAX; -15 -17; -10 -11; false",
        "MIN; 1.6 1.7; 1 2; true",
        "MIN; 1.5 1.7; 1 2; false",
        "MIN; -4 -3; -10 0; true",
        "MIN; -5 -3; -10 0; false",
        "MAX; -0.1 -0.1; 0 -1; true",
        "MAX; 0 0; 0 0; false",
        "MAX; 0 0; ; false",
      })
  void bandit(Objective objective, String own, String peers, boolean stopped) {
    assertThat(judge(plan(Policy.BANDIT, 0.5), objective, own, running(peers)).isPresent())
        .isEqualTo(stopped);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "MAX; 1; 2, 3, 4, 5, 6, 7, 8, 9, 10; true",
        "MAX; 3; 1, 2, 4, 5, 6, 7, 8, 9, 10; true", // the third worst of ten
        "MAX; 4; 1, 2, 3, 5, 6, 7, 8, 9, 10; false",
        "MIN; 8; 1, 2, 3, 4, 5, 6, 7, 9, 10; true",
        "MIN; 7; 1, 2, 3, 4, 5, 6, 8, 9, 10; false",
        "MAX; 1; 2, 3; false", // 30 % of three is none
        "MAX; 1; 2, 3, 4; true",
        "MAX; 1; 1, 1, 1; false", // equals are not all the worst
        "MAX; 1; 1, 2, 3; false",
        "MAX; 1; ; false",
        "MAX; -5; -4, -3, -2; true",
      })
  void truncation(Objective objective, String own, String peers, boolean stopped) {
    assertThat(judge(plan(Policy.TRUNCATION, 0.3), objective, own, running(peers)).isPresent())
        .isEqualTo(stopped);
  }

  @Test
  void truncationRanksByTheResultAtTheStep() {
    List<Series> peers = running("9 2 0, 9 3 0, 9 4 0");
    assertThat(judge(plan(Policy.TRUNCATION, 0.3), Objective.MAX, "99 1", peers)).isPresent();
    assertThat(judge(plan(Policy.TRUNCATION, 0.3), Objective.MAX, "0 5", peers)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // own flat curve, end of the finished one, stopped
        "MAX; 0.90; 1; true",
        "MAX; 0.96; 1; false",
        "MAX; -1.06; -1; true",
        "MAX; -1.04; -1; false",
        "MIN; 1.06; 1; true",
        "MIN; 1.04; 1; false",
        "MIN; -0.94; -1; true",
        "MIN; -0.96; -1; false",
      })
  void curveFittingComparesEnds(Objective objective, double own, double end, boolean stopped) {
    Series finished = new Series("done", new double[] {0, 0, 0, 0, 0, end}, true);
    String flat = "%1$s %1$s %1$s %1$s %1$s".formatted(own);
    assertThat(judge(curve(10), objective, flat, List.of(finished)).isPresent()).isEqualTo(stopped);
  }

  @Test
  void curveFittingFollowsTheCurve() {
    // 1 - 1/x at 5 is 0.8, and at 100 it is 0.99.
    String rising = curve(5, x -> 1 - 1.0 / x);
    String slow = curve(5, x -> 0.9 - 0.5 / x);
    Series finished = new Series("done", points(20, x -> 1 - 1.0 / x), true);

    assertThat(judge(curve(100), Objective.MAX, rising, List.of(finished))).isEmpty();
    assertThat(judge(curve(100), Objective.MAX, slow, List.of(finished)))
        .hasValueSatisfying(
            why -> assertThat(why).contains("predicted to end with 0.89").contains("0.9500"));
  }

  @Test
  void curveFittingNeedsPointsAFinishedPeerAndSomethingToSave() {
    Series finished = new Series("done", points(10, x -> 1.0), true);
    Series runs = new Series("runs", points(10, x -> 1.0), false);
    Series tooShort = new Series("short", points(4, x -> 1.0), true);

    assertThat(judge(curve(10), Objective.MAX, "0 0 0 0", List.of(finished))).isEmpty();
    assertThat(judge(curve(10), Objective.MAX, "0 0 0 0 0", List.of(finished))).isPresent();
    assertThat(judge(curve(10), Objective.MAX, "0 0 0 0 0", List.of(runs))).isEmpty();
    assertThat(judge(curve(10), Objective.MAX, "0 0 0 0 0", List.of(tooShort))).isEmpty();
    assertThat(judge(curve(5), Objective.MAX, "0 0 0 0 0", List.of(finished))).isEmpty();
  }

  @Test
  void nobodyIsItsOwnPeer() {
    Series own = new Series("own", new double[] {1}, false);
    assertThat(judge(plan(Policy.MEDIAN, 1), Objective.MAX, own, 1, List.of(own))).isEmpty();
  }

  @Test
  void onlyResultsUpToTheStepAreJudged() {
    Series own = new Series("own", new double[] {1, 1, 100}, false);
    List<Series> all = running("2 2");
    assertThat(judge(plan(Policy.MEDIAN, 1), Objective.MAX, own, 2, all))
        .contains("its mean of 2 results is 1.000, worse than the median 2.000 of 1 other");
  }

  @ParameterizedTest
  @EnumSource(Objective.class)
  void aScoreThatIsNoNumber_isTheWorst(Objective objective) {
    Standing broken = standing("broken", Double.NaN);
    List<Standing> others = List.of(broken, standing("a", 1), standing("b", 2), standing("c", 3));
    List<EarlyStopPlan> plans =
        List.of(
            plan(Policy.MEDIAN, 1),
            plan(Policy.BANDIT, 0.5),
            plan(Policy.TRUNCATION, 0.3),
            curve(9));
    double[] scores = {1, 1, Double.NaN, 1, 1};

    for (EarlyStopPlan plan : plans) {
      assertThat(EarlyStopRules.judge(plan, objective, broken, scores, others))
          .as(plan.policy().toString())
          .isPresent();
      assertThat(
              EarlyStopRules.judge(
                  plan, objective, standing("d", 2), new double[] {2, 2, 2, 2, 2}, List.of(broken)))
          .as("beside it alone, by %s", plan.policy())
          .isEmpty();
    }
  }

  /** One that has ended with what it has given all the time. */
  private static Standing standing(String job, double score) {
    return new Standing(
        job, new Standing.Scores(5, score * 5, score, score), score, OptionalDouble.of(score));
  }

  private static Optional<String> judge(
      EarlyStopPlan plan, Objective objective, String own, List<Series> peers) {
    Series series = new Series("own", numbers(own), false);
    return judge(plan, objective, series, series.scores().length, peers);
  }

  private static Optional<String> judge(
      EarlyStopPlan plan, Objective objective, Series own, int step, List<Series> all) {
    List<Standing> standings =
        all.stream()
            .filter(series -> series.scores().length >= step)
            .map(series -> series.at(step))
            .toList();
    Optional<String> why =
        EarlyStopRules.judge(
            plan, objective, own.at(step), Arrays.copyOf(own.scores(), step), standings);
    assertThat(why).isEqualTo(PlainStopRules.judge(plan, objective, own, step, all));
    return why;
  }

  private static EarlyStopPlan plan(Policy policy, double factor) {
    return new EarlyStopPlan(policy, 0, 1, factor, 0);
  }

  private static EarlyStopPlan curve(int finalStep) {
    return new EarlyStopPlan(Policy.CURVE_FITTING, 0, 1, 0.95, finalStep);
  }

  private static String curve(int points, IntToDoubleFunction y) {
    return String.join(" ", Arrays.stream(points(points, y)).mapToObj(Double::toString).toList());
  }

  private static double[] points(int count, IntToDoubleFunction y) {
    return IntStream.rangeClosed(1, count).mapToDouble(y).toArray();
  }

  private static List<Series> running(String peers) {
    List<Series> all = new ArrayList<>();
    if (peers != null) {
      for (String peer : peers.split(",")) {
        all.add(new Series("p" + all.size(), numbers(peer), false));
      }
    }
    return all;
  }

  private static double[] numbers(String text) {
    return Arrays.stream(text.strip().split(" ")).mapToDouble(Double::parseDouble).toArray();
  }
}
