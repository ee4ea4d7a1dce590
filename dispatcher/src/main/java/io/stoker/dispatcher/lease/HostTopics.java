package io.stoker.dispatcher.lease;

import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.config.StokerConfig;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates a host's topic at its registration; nothing else is created by itself. */
@ApplicationScoped
public class HostTopics {
  private static final long PATIENCE_S = 10;

  private final Topics topics;
  private final String bootstrap;
  private final Replication replication;
  private final Set<String> present = ConcurrentHashMap.newKeySet();
  private Admin admin;

  HostTopics(Topics topics, StokerConfig config) {
    this.topics = topics;
    bootstrap = config.kafka().bootstrapServers();
    replication =
        new Replication(config.topics().replicationFactor(), config.topics().minInsyncReplicas());
  }

  /**
   * Sees to it that the host's topic is there.
   *
   * @throws IllegalStateException if the broker does not say so in time
   */
  public synchronized void ensure(String host) {
    if (present.contains(host)) {
      return;
    }
    if (admin == null) {
      admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }
    Topics.Layout layout = topics.placementsLayout(host);
    try {
      int brokers = admin.describeCluster().nodes().get(PATIENCE_S, TimeUnit.SECONDS).size();
      NewTopic topic =
          new NewTopic(layout.name(), layout.partitions(), replication.factor(brokers))
              .configs(replication.settings(layout.settings()));
      admin.createTopics(List.of(topic)).all().get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new IllegalStateException("cannot create topic " + layout.name(), e.getCause());
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException("cannot create topic " + layout.name() + " in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    present.add(host);
  }

  @PreDestroy
  synchronized void close() {
    if (admin != null) {
      admin.close(java.time.Duration.ofSeconds(1));
    }
  }
}
