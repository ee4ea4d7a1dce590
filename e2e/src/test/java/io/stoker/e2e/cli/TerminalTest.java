package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.common.state.RequestState;
import io.stoker.e2e.cli.Stoker.AtTerminal;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What draws on a whole terminal, at a real one. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class TerminalTest {
  private static final String CTRL_C = "\u0003";
  private static final String ALTERNATE_SCREEN = "\u001b[?1049h";
  private static final String USUAL_SCREEN = "\u001b[?1049l";

  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  TerminalTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() {
    assumeTrue(Stoker.hasTerminals(), "no /usr/bin/script here");
    stoker = new Stoker(stack.data().root(), folder);
  }

  private static void awaitShown(AtTerminal at, String text) {
    await("showing " + text)
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(at.shownSoFar()).contains(text));
  }

  @Test
  void aListIsDrawnAgainWhenSomethingChangesUntilCtrlC() throws Exception {
    AtTerminal list = stoker.atTerminal(160, "list", "--watch", "--prefix", "watched-");
    awaitShown(list, "no such requests");

    stack.post(Posted.script("watched-1", "exit 0 # of a watched list"));
    stack.statuses().awaitEnd("watched-1");
    awaitShown(list, "watched-1");
    awaitShown(list, "SUCCEEDED");
    list.press(CTRL_C);

    assertThat(list.await()).isZero();
    assertThat(list.shownSoFar()).contains(ALTERNATE_SCREEN).contains(USUAL_SCREEN);
  }

  @Test
  void topObeysItsKeysAndLeavesTheTerminalAsItWas() throws Exception {
    Posted sleeper = Posted.script("top-sleeper", "sleep 600");
    stack.post(sleeper);
    stack.statuses().await("top-sleeper", RequestState.RUNNING);
    try {
      AtTerminal top = stoker.atTerminal(60, "top", "--interval", "500ms");
      awaitShown(top, "top-sleeper");
      top.press("s");
      awaitShown(top, "longest");
      top.press("/nothing-has-this-name\r");
      awaitShown(top, "nothing-has-this-name");
      top.press("q");

      assertThat(top.await()).isZero();
      assertThat(top.shownSoFar()).contains(ALTERNATE_SCREEN).contains(USUAL_SCREEN);
    } finally {
      stoker.run("cancel", "top-sleeper");
    }
    stack.statuses().awaitEnd("top-sleeper");
  }

  @Test
  void ctrlCLeavesTopAtOnce() throws Exception {
    AtTerminal top = stoker.atTerminal(100, "top");
    awaitShown(top, ALTERNATE_SCREEN);
    top.press(CTRL_C);

    assertThat(top.await()).isZero();
    assertThat(top.shownSoFar()).contains(USUAL_SCREEN);
  }
}
