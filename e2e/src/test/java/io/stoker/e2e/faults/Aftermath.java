package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.e2e.stack.StokerStack;
import java.time.Duration;

/** What must be once all requests have ended. */
final class Aftermath {
  private static final Duration LOOK = Duration.ofMillis(250);

  private Aftermath() {}

  /** Nothing is open, in line, or owed, and all hosts are up. */
  static void assertAllIsFree(StokerStack stack, Duration atMost) {
    await("all attempts closed, nothing in line, no status owed, all hosts up")
        .atMost(atMost)
        .pollInterval(LOOK)
        .untilAsserted(
            () -> {
              assertThat(stack.database().column("select job from attempt")).isEmpty();
              assertThat(stack.database().column("select job from ready")).isEmpty();
              assertThat(stack.database().column("select subject from fan_out")).isEmpty();
              assertThat(stack.database().column("select request from due_status")).isEmpty();
              assertThat(stack.database().column("select state from host")).containsOnly("UP");
            });
  }
}
