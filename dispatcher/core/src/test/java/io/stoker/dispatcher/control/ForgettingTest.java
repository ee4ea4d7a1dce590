package io.stoker.dispatcher.control;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForgettingTest {
  private final Scene scene = new Scene();

  @Test
  void theNextEqualRequestRuns() {
    scene.post(same("a"));
    scene.succeed("a");
    scene.post(same("answered"));

    assertThat(forget("a")).isTrue();
    scene.post(same("b"));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("answered")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.request("b").attached()).isFalse();

    scene.succeed("b");
    scene.post(same("c"));
    assertThat(scene.request("c").job()).isEqualTo(scene.request("b").job());
  }

  @Test
  void itIsForgottenOnce() {
    scene.post(same("a"));
    scene.succeed("a");

    assertThat(forget("a")).isTrue();
    assertThat(forget("a")).isFalse();
  }

  @Test
  void whatIsLiveIsSharedAsBefore() {
    scene.post(same("queued"));
    assertThat(forget("queued")).isFalse();
    scene.run("queued");
    assertThat(forget("queued")).isFalse();
    scene.post(same("sharer"));

    assertThat(scene.request("sharer").job()).isEqualTo(scene.request("queued").job());
    scene.succeed("queued");
    assertThat(scene.state("sharer")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aDependentOfWhatIsForgottenGoesOn() {
    scene.post(same("a"), aRequest("waits").dependsOn("never"), aRequest("after").dependsOn("a"));
    scene.succeed("a");

    forget("a");
    scene.post(aRequest("later").dependsOn("a"));

    assertThat(scene.state("after")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.state("later")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whatWouldAnswerARequestIsForgottenUnderEachFingerprint() {
    scene.post(same("plain"), same("gpu").gpus(1));
    scene.succeed("plain");
    scene.succeed("gpu");
    Meaning means =
        Meaning.of(same("x").gpus(1).build(), List.of(), new Queues(List.of())).orElseThrow();

    scene.transaction(unit -> Forgetting.forget(unit, means));

    scene.post(same("again").gpus(1), same("other"));
    assertThat(scene.state("again")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("other").cached()).as("no equal of it").isTrue();
  }

  private boolean forget(String request) {
    boolean[] forgotten = new boolean[1];
    String meaning = scene.request(request).fingerprint();
    scene.transaction(unit -> forgotten[0] = Forgetting.forget(unit, meaning));
    return forgotten[0];
  }

  private static ARequest same(String id) {
    return aRequest(id).meaning("the same");
  }
}
