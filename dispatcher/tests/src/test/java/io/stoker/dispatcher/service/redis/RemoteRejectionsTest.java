package io.stoker.dispatcher.service.redis;

import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.json.Json;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.RedisConnection;
import io.vertx.mutiny.redis.client.Request;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** This replica and another one, which is whoever else publishes to Redis and subscribes there. */
@QuarkusTest
@OnRealServices
class RemoteRejectionsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String CHANNEL = Topics.DEFAULT_PREFIX + "refusals";

  @Inject Redis redis;
  @Inject RecentRejections rejections;
  private final String host = "host-" + UUID.randomUUID();
  private final String shape = "shape-" + UUID.randomUUID();

  @Test
  void whatAnotherReplicaHeardIsKnownHere() {
    // Again and again: this replica may have lost its subscription to a test before.
    await()
        .atMost(SOON)
        .until(
            () -> {
              publish("what is this?");
              publish("{\"host\":\"%s\",\"shape\":\"%s\"}".formatted(host, shape));
              return rejections.hosts(shape).contains(host);
            });

    await()
        .atMost(SOON)
        .until(
            () -> {
              publish("{\"host\":\"%s\",\"shape\":null}".formatted(host));
              return rejections.hosts(shape).isEmpty();
            });
  }

  @Test
  void whatThisOneHeardIsTold() {
    List<String> heard = new CopyOnWriteArrayList<>();
    RedisConnection other = redis.connectAndAwait();
    try {
      other.handler(message -> heard.add(message.toString()));
      other.sendAndAwait(Request.cmd(Command.SUBSCRIBE).arg(CHANNEL));

      await()
          .atMost(SOON)
          .until(
              () -> {
                rejections.refused(new Refusal(host, shape, null));
                return heard.stream().anyMatch(text -> text.contains(told(shape)));
              });
      await()
          .atMost(SOON)
          .until(
              () -> {
                rejections.refused(new Refusal(host, shape, null));
                rejections.changed(host);
                return heard.stream().anyMatch(text -> text.contains(told(null)));
              });
    } finally {
      other.closeAndForget();
    }
  }

  private String told(String of) {
    return "\"host\":\"%s\",\"shape\":%s".formatted(host, Json.text(of));
  }

  private void publish(String text) {
    redis.sendAndAwait(Request.cmd(Command.PUBLISH).arg(CHANNEL).arg(text));
  }
}
