package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.testing.Screen;
import io.stoker.common.json.Json;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GroupViewTest {
  private final Screen screen = new Screen();

  @Test
  void whereOutputIsReadByAProgram_itIsShownOnce_whereverMessagesGo() throws Exception {
    new GroupView(screen.live(), () -> group(1)).show(false, false);

    assertThat(screen.out()).startsWith("g [").contains("1 of 2").doesNotContain("\u001b");
  }

  @Test
  void onATerminalItIsDrawnAgainUntilAllHasEnded() throws Exception {
    Iterator<JsonNode> seen = List.of(group(1), group(2)).iterator();

    new GroupView(screen.redrawn(), seen::next).show(false, false);

    assertThat(screen.out()).containsSubsequence("1 of 2", "\u001b[3A", "2 of 2");
  }

  /** As while the dispatcher is replaced. */
  @Test
  void whoDoesNotAnswerForAMomentEndsNoWait() throws Exception {
    new GroupView(screen.redrawn(), seenThenAway()).show(false, true);

    assertThat(screen.out())
        .containsSubsequence(
            "1 of 2", "\u001b[3A\u001b[J", "not now", "1 of 2", "\u001b[4A", "2 of 2");

    new GroupView(screen.live(), seenThenAway()).show(false, true);

    assertThat(screen.err()).containsOnlyOnce("not now");
  }

  private static Supplier<JsonNode> seenThenAway() {
    AtomicInteger asked = new AtomicInteger();
    return () ->
        switch (asked.incrementAndGet()) {
          case 1 -> group(1);
          case 2, 3 -> throw CliException.unreachable("not now");
          default -> ended();
        };
  }

  @Test
  void aGroupThatIsNoExperimentHasAPlan() throws Exception {
    assertThat(GroupView.experiment(Json.tree(Map.of("state", "RUNNING", "after", "features"))))
        .isEqualTo("plan RUNNING, after features");
  }

  @Test
  void whatATerminalWouldObeyIsShown() throws Exception {
    JsonNode group =
        Json.tree(Map.of("group", "g\u001bc", "experiment", Map.of("reason", "\u009b2J\nforged")));
    new GroupView(screen.plain(), () -> group).show(true, false);

    assertThat(screen.out())
        .contains("g\\u001bc [", "\\u009b2J forged")
        .doesNotContain("\u001b", "\u009b");
  }

  private static JsonNode ended() {
    return Json.tree(Map.of("group", "g", "done", 2, "total", 2, "state", "ENDED"));
  }

  private static JsonNode group(int done) {
    return Json.tree(Map.of("group", "g", "done", done, "total", 2, "progress", done / 2.0));
  }
}
