package io.stoker.dispatcher.service.lease;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.config.StokerConfig;
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
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates a host's topic at its registration; nothing else is created by itself. */
@ApplicationScoped
public class HostTopics {
  private final Topics topics;
  private final KafkaAccess kafka;
  private final Replication replication;
  private final Set<String> present = ConcurrentHashMap.newKeySet();
  private Admin admin;

  HostTopics(Topics topics, KafkaAccess kafka, StokerConfig config) {
    this.topics = topics;
    this.kafka = kafka;
    replication =
        new Replication(config.topics().replicationFactor(), config.topics().minInsyncReplicas());
  }

  /** Sees to it that the host's topic is there; fails with what Kafka says if it cannot be made. */
  public Uni<Void> ensure(String host) {
    if (present.contains(host)) {
      return Uni.createFrom().voidItem();
    }
    Topics.Layout layout = topics.placementsLayout(host);
    return Uni.createFrom()
        .completionStage(() -> create(layout))
        .onFailure(TopicExistsException.class)
        .recoverWithNull()
        .invoke(() -> present.add(host))
        // What follows is not for the thread of the broker's answers.
        .emitOn(Infrastructure.getDefaultWorkerPool());
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
