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
    AttemptEvent event = AttemptEvent.of(job, 1).type(type).at(1).devices(List.of()).build();
    return new Unsent(event, "dG9rZW4=", 0);
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

  @Test
  void whatIsDueIsLookedAtWhenItIsAndNotLater() {
    assertThat(held.hold(step("a", Type.ACCEPTED), 0)).hasValue(HeldSteps.ACCEPTED_MS);
    assertThat(held.hold(step("b", Type.ACCEPTED), 1)).isEmpty();
    assertThat(held.hold(step("a", Type.RUNNING), 5)).hasValue(HeldSteps.RUNNING_MS);
    assertThat(held.hold(step("b", Type.RUNNING), 40)).isEmpty();

    assertThat(dueAt(105)).containsExactly("a RUNNING");
    assertThat(held.next(105)).hasValue(35);
    assertThat(dueAt(140)).containsExactly("b RUNNING");
    assertThat(held.next(140)).isEmpty();
    // The look for the acceptance is one too many, and does no harm.
    assertThat(dueAt(500)).isEmpty();
    assertThat(held.hold(step("c", Type.RUNNING), 600)).hasValue(HeldSteps.RUNNING_MS);
  }

  @Test
  void manyThatAreDueOneAfterTheOtherGoTogether() {
    for (int i = 0; i < 5; i++) {
      held.hold(step("j" + i, Type.RUNNING), i);
    }

    assertThat(dueAt(100)).containsExactly("j0 RUNNING");
    assertThat(held.next(100)).hasValue(HeldSteps.APART_MS);
    assertThat(dueAt(110)).hasSize(4);
  }

  @Test
  void aLookThatComesTooSoonIsFollowedByAnother() {
    held.hold(step("a", Type.RUNNING), 0);

    assertThat(dueAt(99)).isEmpty();
    // That of the first hold is still to come.
    assertThat(held.next(99)).isEmpty();
    assertThat(dueAt(100)).containsExactly("a RUNNING");
  }
}
