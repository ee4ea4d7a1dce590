package io.stoker.dispatcher.service.config;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates topics that nobody could create before: a host's at its registration, a queue's own topic
 * of statuses before its first status.
 */
@ApplicationScoped
public class OwnTopics {
  private final KafkaAccess kafka;
  private final Replication replication;
  private final Set<String> present = ConcurrentHashMap.newKeySet();
  private Admin admin;

  OwnTopics(KafkaAccess kafka, StokerConfig config) {
    this.kafka = kafka;
    replication =
        new Replication(config.topics().replicationFactor(), config.topics().minInsyncReplicas());
  }

  /**
   * Sees to it that the topic is there; fails with what Kafka says if it cannot be made, with
   * {@link TopicAuthorizationException} if there is no right to that.
   */
  public Uni<Void> ensure(Topics.Layout layout) {
    if (present.contains(layout.name())) {
      return Uni.createFrom().voidItem();
    }
    return Uni.createFrom()
        .completionStage(() -> create(layout))
        .onFailure(TopicExistsException.class)
        .recoverWithNull()
        .onFailure(TopicAuthorizationException.class)
        .recoverWithUni(denied -> look(layout.name()))
        .invoke(() -> present.add(layout.name()))
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
      admin.close(java.time.Duration.ofSeconds(1));
    }
  }
}
