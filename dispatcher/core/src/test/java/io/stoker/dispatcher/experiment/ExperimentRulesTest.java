package io.stoker.dispatcher.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.message.Experiment;
import io.stoker.common.message.Experiment.EarlyStopping;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules.Tally;
import io.stoker.dispatcher.model.GroupLimit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExperimentRulesTest {
  private static final long NOW = 5_000;

  @ParameterizedTest
  @CsvSource({
    // state, failure, total, done, failed, closed -> next
    "RUNNING, stop,   0, 0, 0, false, ",
    "RUNNING, stop,   0, 0, 0, true,  FINISHED",
    "RUNNING, stop,   4, 4, 0, false, ",
    "RUNNING, stop,   4, 3, 0, true,  ",
    "RUNNING, stop,   4, 4, 0, true,  FINISHED",
    "RUNNING, stop,   4, 2, 1, false, FAILING",
    "RUNNING, stop,   4, 4, 1, false, FAILED",
    "RUNNING, stop,   4, 4, 1, true,  FAILED",
    "RUNNING, ignore, 4, 2, 1, true,  ",
    "RUNNING, ignore, 4, 4, 4, true,  FINISHED",
    "FAILING, stop,   4, 3, 1, true,  ",
    "FAILING, stop,   4, 4, 1, false, FAILED",
    "STOPPING, stop,  4, 3, 0, true,  ",
    "STOPPING, stop,  4, 4, 1, false, STOPPED",
    "STOPPING, stop,  0, 0, 0, false, STOPPED",
    "FINISHED, stop,  5, 5, 1, true,  ",
    "FAILED, stop,    5, 5, 1, true,  ",
    "STOPPED, stop,   5, 5, 1, true,  ",
  })
  void endsAsItsRequestsDo(
      State state, String failure, long total, long done, long failed, boolean closed, State next)
      throws PlanRefused {
    ExperimentRow row = row(state, plan(new Experiment(null, null, failure, null, null)));
    Tally tally = new Tally(total, done, failed, 0, closed, true);

    var became = ExperimentRules.next(row, tally, NOW);

    assertThat(became.map(ExperimentRow::state).orElse(null)).isEqualTo(next);
    became.ifPresent(one -> assertThat(one.endedAt()).isEqualTo(one.state().over() ? NOW : null));
  }

  @ParameterizedTest
  @CsvSource({
    // state, parallel, running, failed, may begin -> more
    "RUNNING, 4, 0, 0, true, 4",
    "RUNNING, 4, 3, 0, true, 1",
    "RUNNING, 4, 5, 0, true, 0",
    "RUNNING, 4, 0, 1, true, 0",
    "RUNNING, 4, 0, 0, false, 0",
    "RUNNING, , 9, 0, true, 2147483647",
    "RUNNING, , 9, 0, false, 0",
    "FAILING, 4, 0, 0, true, 0",
    "STOPPING, 4, 0, 0, true, 0",
    "STOPPED, 4, 0, 0, true, 2147483647",
    "FAILED, 4, 0, 1, true, 2147483647",
    "FINISHED, 4, 9, 1, true, 2147483647",
  })
  void startsNoMoreThanItMay(
      State state, Integer parallel, int running, long failed, boolean mayBegin, int more)
      throws PlanRefused {
    ExperimentRow row = row(state, plan(new Experiment(null, parallel, null, null, null)));

    GroupLimit limit =
        ExperimentRules.limit(row, new Tally(9, 0, failed, running, false, mayBegin));

    assertThat(limit.more()).isEqualTo(more);
    assertThat(limit.why().isEmpty()).isEqualTo(more == Integer.MAX_VALUE);
  }

  @Test
  void aFailureHoldsBackNothingWhereItIsIgnored() throws PlanRefused {
    ExperimentRow row = row(State.RUNNING, plan(new Experiment(null, 4, "ignore", null, null)));

    assertThat(ExperimentRules.limit(row, new Tally(9, 1, 1, 1, false, true)).more()).isEqualTo(3);
    assertThat(ExperimentRules.limit(row, new Tally(9, 1, 1, 4, false, true)).why())
        .isEqualTo("its experiment e runs as many jobs as it may: parallel is 4");
  }

  @ParameterizedTest
  @CsvSource({
    "RUNNING, STOPPING",
    "FAILING, STOPPING",
    "STOPPING,",
    "FINISHED,",
    "FAILED,",
    "STOPPED,",
  })
  void isStoppedWhileItHasNotEnded(State state, State next) {
    assertThat(ExperimentRules.stopped(row(state, Plan.plain(null))).map(ExperimentRow::state))
        .isEqualTo(Optional.ofNullable(next));
  }

  @ParameterizedTest
  @CsvSource({
    "RUNNING, false",
    "FINISHED, false",
    "FAILING, true",
    "STOPPING, true",
    "FAILED, true",
    "STOPPED, true",
  })
  void whatArrivesIsEndedWhereItEnds(State state, boolean refused) {
    assertThat(ExperimentRules.refusal(row(state, Plan.plain(null))).isPresent())
        .isEqualTo(refused);
  }

  @Test
  void aTakenNameGetsTheFirstFreeNumber() {
    assertThat(ExperimentRules.free("e", Set.of())).isEqualTo("e");
    assertThat(ExperimentRules.free("e", Set.of("e", "e (2)"))).isEqualTo("e (1)");
    assertThat(ExperimentRules.free("e", Set.of("e", "e (1)", "e (2)"))).isEqualTo("e (3)");
    String longest = "x".repeat(128);
    assertThat(ExperimentRules.free(longest, Set.of(longest)))
        .isEqualTo("x".repeat(124) + " (1)")
        .hasSize(128);
  }

  @Test
  void allNamesThatKeepOneFromAnotherBeginWithItsStem() {
    assertThat(ExperimentRules.stem("e")).isEqualTo("e");
    for (String name : List.of("x".repeat(128), "x".repeat(110), "x".repeat(123) + "😀y")) {
      Set<String> taken = new HashSet<>();
      for (int i = 0; i < 1_001; i++) {
        String free = ExperimentRules.free(name, taken);
        assertThat(free).startsWith(ExperimentRules.stem(name)).hasSizeLessThanOrEqualTo(128);
        assertThat(free.replaceAll("\\p{Cs}", "")).as("no half of a character").isEqualTo(free);
        assertThat(taken.add(free)).isTrue();
      }
    }
  }

  @Test
  void hasDefaults() throws PlanRefused {
    assertThat(plan(new Experiment(null, null, null, null, null)))
        .isEqualTo(new Plan(true, Objective.MAX, null, true, List.of(), null, null, null, null));
    assertThat(
            plan(new Experiment(
                    "min",
                    4,
                    "ignore",
                    List.of("acc"),
                    new EarlyStopping("bandit", null, null, null, null)))
                .stopping())
        .isEqualTo(new EarlyStopPlan(EarlyStopPlan.Policy.BANDIT, 0, 1, 0.5, 0));
  }

  @Test
  void refusesByFieldAndValue() {
    refuses(new Experiment("best", null, null, null, null), "objective: best, expected max or min");
    refuses(new Experiment(null, 0, null, null, null), "parallel: 0, expected 1 or more");
    refuses(new Experiment(null, null, "x", null, null), "failure: x, expected stop or ignore");
    refuses(
        new Experiment(null, null, null, List.of("a", "a"), null),
        "resultLabels: [a, a], expected names that differ from each other, 100 at most, of 1 to 128"
            + " characters");
    refuses(
        stopping("mean", 0, 1, null, null),
        "earlyStopping.policy: mean, expected median, bandit, truncation or curve_fitting");
    refuses(stopping("median", -1, 1, null, null), "earlyStopping.warmup: -1, expected 0 or more");
    refuses(stopping("median", 0, 0, null, null), "earlyStopping.steps: 0, expected 1 or more");
    refuses(
        stopping("bandit", 0, 1, 1.5, null),
        "earlyStopping.factor: 1.5, expected more than 0 and at most 1");
    refuses(
        stopping("curve_fitting", 0, 1, null, null),
        "earlyStopping.finalStep: null, expected 1 or more, the results of a whole run");
    for (String policy : List.of("median", "bandit", "truncation", "curve_fitting")) {
      refuses(
          stopping(policy, 0, 1, null, 0),
          "earlyStopping.finalStep: 0, expected 1 or more, the results of a whole run");
      refuses(
          stopping(policy, 0, 1, null, Integer.MIN_VALUE),
          "earlyStopping.finalStep: -2147483648, expected 1 or more, the results of a whole run");
    }
    assertThatThrownBy(() -> Plan.of("e", "e", null))
        .isInstanceOf(PlanRefused.class)
        .hasMessage("after: e, expected the name of another group");
  }

  private static Experiment stopping(
      String policy, Integer warmup, Integer steps, Double factor, Integer finalStep) {
    EarlyStopping asked = new EarlyStopping(policy, warmup, steps, factor, finalStep);
    return new Experiment(null, null, null, null, asked);
  }

  private static void refuses(Experiment asked, String message) {
    assertThatThrownBy(() -> plan(asked)).isInstanceOf(PlanRefused.class).hasMessage(message);
  }

  private static Plan plan(Experiment asked) throws PlanRefused {
    return Plan.of("e", null, asked);
  }

  private static ExperimentRow row(State state, Plan plan) {
    return new ExperimentRow("e", plan, state, "reason", 1, null, null, null);
  }
}
