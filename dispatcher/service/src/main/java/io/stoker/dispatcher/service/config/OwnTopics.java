package io.stoker.dispatcher.service.config;

import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates topics that nobody could create before: a host's at its registration, a queue's own topic
 * of statuses before its first status. One that somebody deletes is made again within a minute of
 * its next use.
 */
@Startup
@ApplicationScoped
public class OwnTopics {
  private static final long BELIEVED_NANOS = Duration.ofMinutes(1).toNanos();

  private final KafkaAccess kafka;
  private final Replication replication;
  private final LongSupplier clock;

  /** When topics were last known to be there: ns. */
  private final Map<String, Long> present = new ConcurrentHashMap<>();

  private Admin admin;

  @Inject
  OwnTopics(KafkaAccess kafka, StokerConfig config) {
    this(kafka, config, System::nanoTime);
  }

  OwnTopics(KafkaAccess kafka, StokerConfig config, LongSupplier clock) {
    this.kafka = kafka;
    this.clock = clock;
    try {
      replication =
          new Replication(config.topics().replicationFactor(), config.topics().minInsyncReplicas());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stoker.topics." + e.getMessage(), e);
    }
  }

  /**
   * Sees to it that the topic is there; fails with what Kafka says if it cannot be made, with
   * {@link TopicAuthorizationException} if there is no right to that.
   */
  public Uni<Void> ensure(Topics.Layout layout) {
    Long seen = present.get(layout.name());
    if (seen == null) {
      return make(layout);
    }
    long now = clock.getAsLong();
    if (now - seen >= BELIEVED_NANOS && present.replace(layout.name(), seen, now)) {
      // Nobody waits for it: it is there, as good as always.
      make(layout).subscribe().with(done -> {}, error -> present.remove(layout.name()));
    }
    return Uni.createFrom().voidItem();
  }

  private Uni<Void> make(Topics.Layout layout) {
    return Uni.createFrom()
        .completionStage(() -> create(layout))
        .onFailure(TopicExistsException.class)
        .recoverWithNull()
        .onFailure(TopicAuthorizationException.class)
        .recoverWithUni(denied -> look(layout.name()))
        .invoke(() -> present.put(layout.name(), clock.getAsLong()))
        // What follows is not for the thread of the broker's answers.
        .emitOn(Infrastructure.getDefaultWorkerPool());
  }

  /** Somebody else may have made it, who has the right. */
  private Uni<Void> look(String topic) {
    return Uni.createFrom()
        .completionStage(
            () -> admin().describeTopics(List.of(topic)).allTopicNames().toCompletionStage())
        .<Void>replaceWith((Void) null)
        .onFailure(OwnTopics::isMissing)
        .transform(
            error ->
                new TopicAuthorizationException(
                    "topic %s is missing, and cannot be made".formatted(topic), Set.of(topic)));
  }

  private static boolean isMissing(Throwable error) {
    return error instanceof TopicAuthorizationException
        || error instanceof UnknownTopicOrPartitionException;
  }

  private CompletionStage<Void> create(Topics.Layout layout) {
    Admin asked = admin();
    return asked
        .describeCluster()
        .nodes()
        .toCompletionStage()
        .thenCompose(
            brokers -> {
              NewTopic topic =
                  new NewTopic(
                          layout.name(), layout.partitions(), replication.factor(brokers.size()))
                      .configs(replication.settings(layout.settings()));
              return asked.createTopics(List.of(topic)).all().toCompletionStage();
            });
  }

  private synchronized Admin admin() {
    if (admin == null) {
      admin = kafka.admin(Map.of());
    }
    return admin;
  }

  @PreDestroy
  synchronized void close() {
    if (admin != null) {
      admin.close(Duration.ofSeconds(1));
    }
  }
}
