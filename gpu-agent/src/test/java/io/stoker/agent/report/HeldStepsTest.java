package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long steps wait for the end that makes them needless. */
class HeldStepsTest {
  private final HeldSteps held = new HeldSteps();

  private static Unsent step(String job, Type type) {
    AttemptEvent event =
        new AttemptEvent(
            job, 1, 1, type, 1, List.of(), null, null, null, null, null, null, null, null, null);
    return new Unsent(event, "dG9rZW4=");
  }

  private List<String> dueAt(long now) {
    return held.take(now).stream()
        .map(unsent -> unsent.event().job() + " " + unsent.event().type())
        .toList();
  }

  @Test
  void anAcceptanceWaitsLongerThanAStart() {
    held.hold(step("a", Type.ACCEPTED), 0);
    held.hold(step("b", Type.RUNNING), 0);

    assertThat(dueAt(HeldSteps.RUNNING_MS - 1)).isEmpty();
    assertThat(dueAt(HeldSteps.RUNNING_MS)).containsExactly("b RUNNING");
    assertThat(dueAt(HeldSteps.ACCEPTED_MS - 1)).isEmpty();
    assertThat(dueAt(HeldSteps.ACCEPTED_MS)).containsExactly("a ACCEPTED");
    assertThat(held.size()).isZero();
  }

  @Test
  void aStartTakesThePlaceOfTheAcceptanceAndWaitsNoLongerThanThatWould() {
    held.hold(step("a", Type.ACCEPTED), 0);
    held.hold(step("a", Type.RUNNING), HeldSteps.ACCEPTED_MS - 1);

    assertThat(dueAt(HeldSteps.ACCEPTED_MS)).containsExactly("a RUNNING");
  }

  @Test
  void whatIsSaidAgainIsNotPutOffForIt() {
    held.hold(step("a", Type.RUNNING), 0);
    held.hold(step("a", Type.RUNNING), HeldSteps.RUNNING_MS - 1);

    assertThat(dueAt(HeldSteps.RUNNING_MS)).containsExactly("a RUNNING");
  }

  @Test
  void anAttemptsStepIsTakenOnce() {
    held.hold(step("a", Type.RUNNING), 0);

    assertThat(held.take(new AttemptKey("a", 1))).isPresent();
    assertThat(held.take(new AttemptKey("a", 1))).isEmpty();
    assertThat(dueAt(HeldSteps.RUNNING_MS)).isEmpty();
  }
}
