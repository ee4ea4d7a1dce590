package io.stoker.cli.demo;

import static io.stoker.common.state.RequestState.FAILED;
import static io.stoker.common.state.RequestState.RUNNING;
import static io.stoker.common.state.RequestState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.Home;
import io.stoker.cli.testing.AStatus;
import io.stoker.cli.testing.Screen;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoStateTest {
  private DemoState state;

  @BeforeEach
  void readTheGraphOfTheExamples() throws Exception {
    Path file = Home.locate().root().resolve("examples/iris/graph.jsonl");
    state =
        new DemoState(
            new DemoGraph(Map.of("${java}", "/jdk \"1\"/java", "${examples}", "/ex")).read(file));
  }

  @Test
  void fillsPlaceholdersWhateverTheyHold() {
    DemoStep petals = step("petals");

    assertThat(petals.request().path("command").get(0).asText()).isEqualTo("/jdk \"1\"/java");
    assertThat(petals.request().path("params").path("data").asText())
        .isEqualTo("/ex/iris/iris.csv");
  }

  @Test
  void postsTheRepeatOnlyAfterItsFirstHasEnded() {
    assertThat(state.takeDue()).extracting(DemoStep::id).hasSize(11).doesNotContain(REPEAT);
    assertThat(state.takeDue()).isEmpty();
    state.apply(AStatus.of("knn-petals", RUNNING, 1).build());
    assertThat(state.takeDue()).isEmpty();
    state.apply(AStatus.of("knn-petals", SUCCEEDED, 2).build());

    assertThat(state.takeDue()).extracting(DemoStep::id).containsExactly(REPEAT);
  }

  @Test
  void isOverWhenAllHasEndedAndTellsWhatIsNotAsExpected() {
    assertThat(state.surprises()).hasSize(12).allMatch(line -> line.contains("has not ended"));
    endAllAsExpected();

    assertThat(state.isOver()).isTrue();
    assertThat(state.surprises()).isEmpty();
  }

  @Test
  void namesFieldAndBothValues() {
    endAllAsExpected();
    state.apply(AStatus.of("petals", FAILED, 9).build());
    state.apply(AStatus.of("roots", FAILED, 9).with("code", "TIMED_OUT").build());

    assertThat(state.surprises())
        .containsExactly(
            "petals: state is \"FAILED\", expected \"SUCCEEDED\"",
            "roots: code is \"TIMED_OUT\", expected \"APP_FAILURE\"; exitCode is absent, expected 3");
  }

  @Test
  void inAPipeEachChangeOfStateIsALine() {
    Screen screen = new Screen();
    DemoView view = new DemoView(screen.plain(), false);
    state.takeDue();
    state.apply(AStatus.of("petals", RUNNING, 1).with("host", "h").build());
    view.show(state);
    state.apply(AStatus.of("petals", RUNNING, 2).with("progress", 0.5).build());
    view.show(state);
    state.apply(AStatus.of("petals", SUCCEEDED, 3).build());
    view.show(state);

    assertThat(screen.out())
        .isEqualTo("petals            RUNNING   on h\npetals            SUCCEEDED\n");
  }

  @Test
  void onATerminalEachJobHasABarThatIsDrawnAgain() {
    Screen screen = new Screen();
    DemoView view = new DemoView(screen.plain(), true);
    state.takeDue();
    view.show(state);
    state.apply(
        AStatus.of("petals", RUNNING, 1).with("progress", Map.of("done", 1, "total", 2)).build());
    view.show(state);

    assertThat(screen.out()).contains("\u001b[12A");
    assertThat(screen.out()).contains("petals            [############------------] RUNNING");
  }

  @Test
  void countsWhatWasSharedAndCached() {
    endAllAsExpected();

    assertThat(new DemoReport(state).summary())
        .contains("12 requests", "1 request(s) shared", "1 answered by a finished one");
  }

  private static final String REPEAT = "knn-petals-again";

  private void endAllAsExpected() {
    while (!state.isOver()) {
      List<DemoStep> due = state.takeDue();
      assertThat(due).isNotEmpty();
      for (DemoStep step : due) {
        AStatus status = AStatus.of(step.id(), SUCCEEDED, 5);
        step.expect().properties().forEach(field -> status.with(field.getKey(), field.getValue()));
        state.apply(status.build());
      }
    }
  }

  private DemoStep step(String id) {
    return state.steps().stream().filter(step -> step.id().equals(id)).findFirst().orElseThrow();
  }
}
