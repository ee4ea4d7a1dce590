package io.stoker.dispatcher.control;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class PrioritisingTest {
  private final Scene scene = new Scene();

  @Test
  void aQueuedJobMovesInItsLine() {
    scene.post(aRequest("a").priority(1), aRequest("b").priority(1));
    long before = ready("a").rank();

    assertThat(change("a", 7)).isTrue();

    assertThat(scene.job("a").asked().priority()).isEqualTo(7);
    assertThat(ready("a").priority()).isEqualTo(7);
    assertThat(ready("a").rank()).isLessThan(before);
    assertThat(change("a", -3)).isTrue();
    assertThat(ready("a").rank()).isGreaterThan(before);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void theHighestOfAllSharersCounts() {
    scene.post(same("a").priority(2), same("b").priority(5));

    change("a", 3);
    assertThat(scene.job("a").asked().priority()).isEqualTo(5);
    change("b", 1);
    assertThat(scene.job("a").asked().priority()).isEqualTo(3);
    change("b", 9);
    assertThat(scene.job("a").asked().priority()).isEqualTo(9);
    scene.cancel("b");
    change("a", 4);
    assertThat(scene.job("a").asked().priority()).isEqualTo(4);
  }

  @Test
  void whatWaitsGetsItWithItsJob() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));

    assertThat(change("b", 6)).isTrue();
    assertThat(scene.state("b")).isEqualTo(RequestState.WAITING);
    scene.succeed("a");

    assertThat(ready("b").priority()).isEqualTo(6);
  }

  @Test
  void whatRunsTakesItToItsRetry() {
    scene.post(aRequest("a").retry("app", 1));
    scene.run("a");

    assertThat(change("a", 8)).isTrue();
    assertThat(scene.inLine("a")).isFalse();
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    scene.fail("a");

    assertThat(ready("a").priority()).isEqualTo(8);
  }

  @Test
  void whatWasPostedStaysWhatWasPosted() {
    scene.post(aRequest("a").priority(1));
    String posted = scene.request("a").spec();
    change("a", 2);

    assertThat(scene.request("a").spec()).isEqualTo(posted);
    assertThat(scene.post(aRequest("a").priority(1))).isEmpty();
    assertThat(scene.job("a").asked().priority()).isEqualTo(2);
  }

  @Test
  void whatHasEndedOrIsUnknownIsLeftAlone() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("nobody"));
    scene.succeed("a");

    assertThat(change("a", 3)).isFalse();
    assertThat(change("nobody", 3)).isFalse();
    assertThat(change("stranger", 3)).isFalse();
    assertThat(scene.job("a").asked().priority()).isZero();
  }

  @Test
  void aQueuesOwnAgingSaysHowMuchWaitingMakesUpForAStep() {
    QueueSettings hasty =
        new QueueSettings(
            "hasty",
            1,
            OptionalInt.empty(),
            OptionalInt.empty(),
            true,
            Optional.empty(),
            false,
            Duration.ofSeconds(1));
    Scene scene = new Scene(new Queues(List.of(hasty)));
    scene.post(aRequest("old").queue("hasty"), aRequest("usual"));
    scene.store().pass(4_000);
    scene.post(
        aRequest("urgent").queue("hasty").priority(3),
        aRequest("more-urgent").queue("hasty").priority(5),
        aRequest("usual-urgent").priority(3));

    assertThat(rank(scene, "old")).isLessThan(rank(scene, "urgent"));
    assertThat(rank(scene, "old")).isGreaterThan(rank(scene, "more-urgent"));
    assertThat(rank(scene, "usual")).isGreaterThan(rank(scene, "usual-urgent"));
    scene.transaction(unit -> Prioritising.change(unit, "urgent", 5));
    assertThat(rank(scene, "old")).as("by its own").isGreaterThan(rank(scene, "urgent"));
  }

  private static long rank(Scene scene, String request) {
    return scene.store().ready().get(scene.job(request).id()).rank();
  }

  private boolean change(String request, int priority) {
    boolean[] changed = new boolean[1];
    scene.transaction(unit -> changed[0] = Prioritising.change(unit, request, priority));
    return changed[0];
  }

  private ReadyRow ready(String request) {
    return scene.store().ready().get(scene.job(request).id());
  }

  private static ARequest same(String id) {
    return aRequest(id).meaning("the same");
  }
}
