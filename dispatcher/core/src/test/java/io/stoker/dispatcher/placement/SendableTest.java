package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.size.Limits;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SendableTest {
  private static final HostResources EARLIER = aHost("h1").resources();

  private final Scene scene = new Scene();
  private final Sendable sendable = new Sendable(SendLimits.REAL);
  private AttemptRow attempt;

  @BeforeEach
  void placeOne() {
    scene.post(aRequest("x"));
    scene.succeed("x");
    scene.post(aRequest("a").dependsOn("x"));
    attempt = scene.place("a", "h1");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aHostThatTakesPartsIsToldUpToTheLargestMessage(int more) {
    Optional<String> obstacle = obstacle(Limits.AGENT_MESSAGE + more, takingParts());

    assertThat(obstacle.isPresent()).isEqualTo(more > 0);
    obstacle.ifPresent(
        why -> assertThat(why).contains("6291457 bytes", "expected at most 6291456"));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aHostOfAnEarlierVersionIsToldWhatOneRecordTakes(int more) {
    Optional<String> obstacle = obstacle(Limits.RECORD_VALUE - 512 + more, EARLIER);

    assertThat(obstacle.isPresent()).isEqualTo(more > 0);
    obstacle.ifPresent(why -> assertThat(why).contains("the agent of host h1"));
  }

  @Test
  void aHostThatHasToldNothingIsTakenForAnEarlierOne() {
    assertThat(obstacle(Limits.RECORD_VALUE, null)).isPresent();
    assertThat(obstacle(1_000, null)).isEmpty();
  }

  private Optional<String> obstacle(int bytes, HostResources resources) {
    int around = Json.bytes(place("")).length;
    Place place = place("x".repeat(Math.max(0, bytes - around)));
    return sendable.obstacle(place, bytes, "h1", resources);
  }

  private Place place(String result) {
    return PlacementMessage.of(
        attempt,
        scene.job("a"),
        aRequest("a").dependsOn("x").build(),
        Optional.empty(),
        Map.of("x", Json.raw("\"" + result + "\"")),
        Map.of(),
        null);
  }

  private static HostResources takingParts() {
    return HostResources.of(host -> host.parts = true);
  }
}
