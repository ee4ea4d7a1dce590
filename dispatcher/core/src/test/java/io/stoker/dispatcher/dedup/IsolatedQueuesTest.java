package io.stoker.dispatcher.dedup;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.Dependency.Condition;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Queues that share runs and results with nobody else. */
class IsolatedQueuesTest {
  private final Scene scene =
      new Scene(
          new Queues(
              Stream.of("red", "blue")
                  .map(
                      name ->
                          new QueueSettings(
                              name,
                              1,
                              OptionalInt.empty(),
                              OptionalInt.empty(),
                              true,
                              Optional.empty(),
                              true,
                              QueueSettings.AGING))
                  .toList()));

  @Test
  void liveEquals_ofOtherQueues_runByThemselves() {
    scene.post(same("red"), same("blue"), same("default"));

    assertThat(List.of(scene.job("red"), scene.job("blue"), scene.job("default")))
        .doesNotHaveDuplicates();
  }

  @Test
  void liveEquals_ofOneIsolatedQueue_shareARun() {
    scene.post(same("red"), aRequest("again").queue("red").meaning("same"));

    assertThat(scene.job("again")).isEqualTo(scene.job("red"));
  }

  @Test
  void remembered_ofAnotherQueue_answersNobody() {
    scene.post(same("default"));
    scene.succeed("default");
    scene.post(same("red"));
    scene.succeed("red");
    scene.post(same("blue"), aRequest("late").queue("red").meaning("same"));

    assertThat(scene.state("blue")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("late").cached()).isTrue();
  }

  @Test
  void dependents_ofOtherQueues_runByThemselves() {
    scene.post(aRequest("r").queue("red"), aRequest("b").queue("blue"));
    scene.post(same("red").dependsOn("r"), same("blue").dependsOn("b"));
    scene.post(aRequest("again").queue("red").meaning("same").dependsOn("r"));
    scene.succeed("r");
    scene.succeed("b");

    assertThat(scene.job("blue")).isNotEqualTo(scene.job("red"));
    assertThat(scene.job("again")).isEqualTo(scene.job("red"));
  }

  @ParameterizedTest
  @CsvSource({"red, blue", "red, default", "default, red"})
  void dependency_onAnotherQueue_isRefused(String queue, String other) {
    scene.post(aRequest("theirs").queue(other));

    List<Intake.Refusal> refused =
        scene.post(aRequest("mine").queue(queue).dependsOn("theirs", Condition.ENDED));

    assertThat(refused).extracting(Intake.Refusal::code).containsExactly(Code.INVALID_REQUEST);
    assertThat(refused.getFirst().sentence())
        .isEqualTo("dependsOn: theirs, expected ids of requests that share with queue " + queue);
    assertThat(scene.request("mine").isPlaceholder()).isTrue();
  }

  @Test
  void dependency_thatWouldCloseACycleInAnotherQueue_isNotToldOfIt() {
    scene.post(aRequest("theirs").queue("blue").dependsOn("secret"));
    scene.post(aRequest("secret").queue("blue").dependsOn("mine"));

    assertThat(scene.post(aRequest("mine").queue("red").dependsOn("theirs")))
        .extracting(Intake.Refusal::sentence)
        .singleElement(InstanceOfAssertFactories.STRING)
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @EnumSource(Condition.class)
  void dependency_thatIsPostedToAnotherQueueLater_endsWhoWaits(Condition condition) {
    scene.post(aRequest("mine").queue("red").dependsOn("theirs", condition));
    scene.post(aRequest("theirs").queue("blue"));
    scene.succeedWith("theirs", "secret");

    assertThat(scene.state("mine")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("mine")).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(scene.reason("mine"))
        .isEqualTo("dependsOn: theirs, expected ids of requests that share with queue red");
  }

  @Test
  void dependency_thatWasRefused_isNotSaidWhy() {
    scene.post(aRequest("mine").queue("red").dependsOn("theirs"));
    scene.transaction(unit -> Intake.refuse(unit, "theirs", Code.INVALID_REQUEST, "env: secret"));

    assertThat(scene.reason("mine")).isEqualTo("caused by failure of theirs");
  }

  /** The same work, from the queue of that name. */
  private static ARequest same(String queue) {
    return aRequest(queue).queue(queue).meaning("same");
  }
}
