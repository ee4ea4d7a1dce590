package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.attempt.TakenOverEvents;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** Partitions whose owner is gone, which Kafka has not given to another one yet. */
@QuarkusTest
@OnRealServices
class TakenOverEventsTest extends WithSite {
  @Inject StokerConfig config;
  @Inject TakenOverEvents events;

  /** A member of the group that never reads what it has: it lives as long as it is open. */
  private KafkaConsumer<byte[], byte[]> silent() {
    KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                site.bootstrap(),
                "group.id",
                StokerConfig.eventsGroup(config.group()),
                "enable.auto.commit",
                false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    member.subscribe(List.of(site.topics().events()));
    while (member.assignment().isEmpty()) {
      member.poll(Duration.ofMillis(100));
    }
    member.pause(member.assignment());
    return member;
  }

  private String hostIn(KafkaConsumer<?, ?> member) {
    int all = member.partitionsFor(site.topics().events()).size();
    Set<Integer> its =
        member.assignment().stream().map(TopicPartition::partition).collect(Collectors.toSet());
    return Stream.generate(() -> Site.unique("host"))
        .filter(host -> its.contains(Utils.toPositive(Utils.murmur2(host.getBytes(UTF_8))) % all))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void areReadByWhoTakesOver() {
    String id = Site.unique("ends");
    try (KafkaConsumer<byte[], byte[]> gone = silent()) {
      String host = hostIn(gone);
      try (HandAgent agent = HandAgent.start(site, host)) {
        site.post(aRequest(id).resource("require", Map.of("only", host)));
        ToAgent.Place place = agent.awaitPlace(id, 1);

        agent.succeed(place);
        events.begin();

        site.statuses().await(id, RequestState.SUCCEEDED);
      }
    }
  }
}
