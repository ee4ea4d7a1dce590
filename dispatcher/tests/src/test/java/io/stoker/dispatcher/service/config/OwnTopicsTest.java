package io.stoker.dispatcher.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.kafka.KafkaAccess;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@QuarkusTest
@OnRealServices
class OwnTopicsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Inject KafkaAccess kafka;
  @Inject StokerConfig config;

  private final AtomicLong now = new AtomicLong();
  private final Topics.Layout layout =
      new Topics(Topics.DEFAULT_PREFIX).placementsLayout("deleted-" + UUID.randomUUID());

  /** Else its host is not served before dispatchers are started again. */
  @Test
  void aTopicThatSomebodyDeletes_isMadeAgain() throws Exception {
    OwnTopics topics = new OwnTopics(kafka, config, now::get);
    try (Admin admin = kafka.admin(Map.of())) {
      topics.ensure(layout).await().atMost(PATIENCE);
      awaitTopic(admin);

      admin.deleteTopics(List.of(layout.name())).all().get();
      Awaitility.await().atMost(PATIENCE).until(() -> !names(admin).contains(layout.name()));
      now.addAndGet(TimeUnit.MINUTES.toNanos(1));
      topics.ensure(layout).await().atMost(PATIENCE);

      awaitTopic(admin);
    } finally {
      topics.close();
    }
  }

  /** A broker tells of a topic only once it has heard of it from its controller. */
  private void awaitTopic(Admin admin) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(names(admin)).contains(layout.name()));
  }

  private static List<String> names(Admin admin) throws Exception {
    return List.copyOf(admin.listTopics().names().get());
  }
}
