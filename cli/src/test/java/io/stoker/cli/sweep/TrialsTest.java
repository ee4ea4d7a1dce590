package io.stoker.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.input.DocumentFile;
import io.stoker.cli.testing.AStatus;
import io.stoker.cli.testing.Screen;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TrialsTest {
  private final Sweep sweep =
      Sweep.of(
          DocumentFile.parse(
              "test",
              "request: {command: [x]}\ngrid: {i: [1, 2, 3, 4]}".getBytes(StandardCharsets.UTF_8)),
          "s");
  private long nanos;

  @Test
  void bestIsOverScoresOfWhatSucceeded() {
    Trials max = trials(true);
    Trials min = trials(false);

    assertThat(max.best()).extracting(one -> one.status().id()).containsExactly("s-3", "s-1");
    assertThat(min.best()).extracting(one -> one.status().id()).containsExactly("s-1", "s-3");
    assertThat(max.done()).isEqualTo(3);
    assertThat(max.arrived()).isEqualTo(4);
    assertThat(Sweep.shown(max.best().getFirst().configuration())).isEqualTo("i=3");
  }

  @Test
  void theLineIsCutToTheTerminal_andKeepsItsColours() {
    try (SweepView plain = new SweepView(new Screen().plain(), "s", trials(true), () -> nanos);
        SweepView coloured =
            new SweepView(new Screen().coloured(), "s", trials(true), () -> nanos)) {
      assertThat(plain.line(OptionalInt.of(60)))
          .isEqualTo("s [#######################-------] 3 of 4, 1 running, 1 fa…");
      assertThat(coloured.line(OptionalInt.of(60)))
          .isEqualTo(
              "s \u001b[31m[#######################-------]\u001b[0m 3 of 4, 1 running, 1 fa…");
    }
  }

  @Test
  void theLineSaysWhereItStands() {
    Screen screen = new Screen();
    try (SweepView view = new SweepView(screen.plain(), "s", trials(true), () -> nanos)) {
      nanos = TimeUnit.SECONDS.toNanos(61);
      assertThat(view.line(OptionalInt.empty()))
          .isEqualTo(
              "s [#######################-------] 3 of 4, 1 running, 1 failed, best 0.75, 00:01:01");
      view.update();
      view.update();
    }
    assertThat(screen.err().lines()).hasSize(1);
  }

  @Test
  void theLineSaysWhatWaitsForOthersAndMayDoSoForLong() {
    Trials trials = new Trials(sweep.requests("s"), true);
    trials.know(status("s-1", RequestState.WAITING, null));
    trials.know(status("s-2", RequestState.WAITING, null));
    try (SweepView view = new SweepView(new Screen().plain(), "s", trials, () -> nanos)) {
      assertThat(view.line(OptionalInt.empty()))
          .contains("0 of 4, 0 running, 2 waiting for dependencies, 00:00:00");
    }
  }

  @Test
  void onATerminalItIsDrawnInPlaceAndTakenAwayAtTheEnd() {
    Screen screen = new Screen();
    try (SweepView view = new SweepView(screen.live(), "s", trials(true), () -> nanos)) {
      view.update();
    }
    // A line, the one that runs, and the two that are best, with headings.
    assertThat(screen.err()).contains("PARAMETERS").endsWith("\u001b[6A\r\u001b[J");
  }

  private Trials trials(boolean max) {
    Trials trials = new Trials(sweep.requests("s"), max);
    trials.know(status("s-1", RequestState.SUCCEEDED, 0.5));
    trials.know(status("s-2", RequestState.FAILED, 0.9));
    trials.know(status("s-3", RequestState.SUCCEEDED, 0.75));
    trials.know(status("s-4", RequestState.RUNNING, null));
    trials.know(status("other", RequestState.SUCCEEDED, 5.0));
    return trials;
  }

  private static RequestStatus status(String id, RequestState state, Double score) {
    return AStatus.of(id, state, 1).with("score", score).build();
  }
}
