package io.stoker.dispatcher.dedup;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

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
    scene.post(aRequest("input"));
    scene.post(same("red").dependsOn("input"), same("blue").dependsOn("input"));
    scene.post(aRequest("again").queue("red").meaning("same").dependsOn("input"));
    scene.succeed("input");

    assertThat(scene.job("blue")).isNotEqualTo(scene.job("red"));
    assertThat(scene.job("again")).isEqualTo(scene.job("red"));
  }

  /** The same work, from the queue of that name. */
  private static ARequest same(String queue) {
    return aRequest(queue).queue(queue).meaning("same");
  }
}
