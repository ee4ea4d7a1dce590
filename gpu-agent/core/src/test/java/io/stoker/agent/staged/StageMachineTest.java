package io.stoker.agent.staged;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.staged.Said.What;
import io.stoker.agent.staged.StageMachine.Fails;
import io.stoker.agent.staged.StageMachine.Goes;
import io.stoker.agent.staged.StageMachine.Nothing;
import io.stoker.agent.staged.StageMachine.Renews;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StageMachineTest {
  private final StageMachine machine = new StageMachine(StageLimits.DEFAULT);

  /** At a stage, its second command given, with so many loads and trainings begun. */
  private static Stages at(Stage stage, int loads, int trains) {
    Optional<String> device = stage.trains() ? Optional.of("0") : Optional.empty();
    return new Stages(stage, 2, loads, trains, 1, device, StageTimes.NONE, List.of());
  }

  private static Said said(int command, What what) {
    return new Said(1, command, what, Optional.of("why"));
  }

  @ParameterizedTest
  @CsvSource({"LOADING, HOLDING", "TRAINING, TRAINED"})
  void whatIsDoneGoesOn(Stage stage, Stage next) {
    assertThat(machine.said(at(stage, 1, 1), said(2, What.DONE)))
        .isInstanceOfSatisfying(
            Goes.class,
            goes -> {
              assertThat(goes.stages().stage()).isEqualTo(next);
              assertThat(goes.stages().device().isPresent()).isEqualTo(next == Stage.TRAINED);
            });
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void aLoadOutOfMemoryGetsAnotherProcess(int loads) {
    assertThat(machine.said(at(Stage.LOADING, loads, 0), said(2, What.OOM)))
        .isEqualTo(
            new Renews(
                at(Stage.RENEWING, loads, 0),
                "out of memory in load %d of 3: why".formatted(loads)));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void aTrainingOutOfMemoryHoldsAndGivesItsDeviceBack(int trains) {
    assertThat(machine.said(at(Stage.TRAINING, 3, trains), said(2, What.OOM)))
        .isEqualTo(
            new Goes(
                at(Stage.HOLDING, 3, trains),
                "out of memory in train %d of 3: why".formatted(trains)));
  }

  @ParameterizedTest
  @CsvSource({"LOADING, 3, 0, LoadNumbersExceed", "TRAINING, 1, 3, TrainNumbersExceed"})
  void theLastAttemptIsTheEnd(Stage stage, int loads, int trains, String name) {
    assertThat(machine.said(at(stage, loads, trains), said(2, What.OOM)))
        .isInstanceOfSatisfying(
            Fails.class, fails -> assertThat(fails.reason()).startsWith(name + ": out of memory"));
  }

  @ParameterizedTest
  @CsvSource({"LOADING, load", "TRAINING, train"})
  void anExceptionFailsWithStageAndMessage(Stage stage, String word) {
    assertThat(machine.said(at(stage, 1, 1), said(2, What.EXCEPTION)))
        .isEqualTo(new Fails("exception in " + word + ": why"));
  }

  @ParameterizedTest
  @EnumSource(What.class)
  void anAnswerToAnOlderCommandIsOfNoAccount(What what) {
    assertThat(machine.said(at(Stage.TRAINING, 1, 1), said(1, what))).isEqualTo(new Nothing());
    assertThat(machine.said(at(Stage.TRAINING, 1, 1), said(3, what))).isEqualTo(new Nothing());
  }

  @ParameterizedTest
  @EnumSource(
      value = Stage.class,
      names = {"LOADING", "TRAINING"},
      mode = EnumSource.Mode.EXCLUDE)
  void whoWasNotToldAnythingSaysNothing(Stage stage) {
    for (What what : What.values()) {
      assertThat(machine.said(at(stage, 1, 1), said(2, what))).isEqualTo(new Nothing());
    }
  }

  @Test
  void anotherVersionFails() {
    assertThat(machine.said(at(Stage.LOADING, 1, 0), new Said(2, 2, What.DONE, Optional.empty())))
        .isInstanceOfSatisfying(
            Fails.class, fails -> assertThat(fails.reason()).contains("version 2"));
  }

  @Test
  void loadsAndTrainingsCountApart() {
    Stages stages = Stages.NONE.admitted().loading();
    stages = ((Renews) machine.said(stages, said(1, What.OOM))).stages().admitted().loading();
    stages = ((Renews) machine.said(stages, said(2, What.OOM))).stages().admitted().loading();
    stages = ((Goes) machine.said(stages, said(3, What.DONE))).stages();
    stages = stages.training(Optional.of("0"));
    stages = ((Goes) machine.said(stages, said(4, What.OOM))).stages();
    stages = ((Goes) machine.said(stages.training(Optional.of("1")), said(5, What.DONE))).stages();

    assertThat(stages)
        .isEqualTo(
            new Stages(Stage.TRAINED, 5, 3, 2, 3, Optional.of("1"), StageTimes.NONE, List.of()));
  }
}
