package io.stoker.cli.topics;

import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.common.topic.Topics.Layout;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics of a layout that are not there yet, and mends one setting of those that are. */
public final class TopicCreator {
  private static final String MENDED = TopicConfig.COMPRESSION_TYPE_CONFIG;

  private TopicCreator() {}

  /**
   * A topic that was mended.
   *
   * @param setting that was not as the layout has it
   * @param before its value until now
   */
  public record Altered(String topic, String setting, String value, String before) {}

  /**
   * Makes those that are missing; what is there stays as it is.
   *
   * @param topics as they are to be
   * @param replication on how many of the brokers that are there
   * @param atMost how long Kafka may take to answer
   * @return the names of the topics that were made now
   * @throws ExecutionException if Kafka does not answer or refuses
   */
  public static List<String> create(
      KafkaAccess kafka, List<Layout> topics, Replication replication, Duration atMost)
      throws ExecutionException, InterruptedException {
    try (Admin admin = admin(kafka, atMost)) {
      short factor = replication.factor(admin.describeCluster().nodes().get().size());
      List<NewTopic> wanted =
          topics.stream()
              .map(
                  topic ->
                      new NewTopic(topic.name(), topic.partitions(), factor)
                          .configs(replication.settings(topic.settings())))
              .toList();
      Map<String, KafkaFuture<Void>> answers = admin.createTopics(wanted).values();
      List<String> made = new ArrayList<>();
      for (NewTopic topic : wanted) {
        if (isNew(answers.get(topic.name()))) {
          made.add(topic.name());
        }
      }
      return made;
    }
  }

  /**
   * Has topics that are there, those of queues among them, take no more of zipped records than of
   * others: those of earlier builds do.
   *
   * @param atMost how long Kafka may take to answer
   * @return what was altered now
   * @throws ExecutionException if Kafka does not answer or refuses
   */
  public static List<Altered> mend(KafkaAccess kafka, Topics layout, Duration atMost)
      throws ExecutionException, InterruptedException {
    try (Admin admin = admin(kafka, atMost)) {
      Map<ConfigResource, String> wanted = new LinkedHashMap<>();
      for (Layout topic : layout.layoutsAmong(admin.listTopics().names().get())) {
        Optional.ofNullable(topic.settings().get(MENDED))
            .ifPresent(value -> wanted.put(resource(topic), value));
      }
      Map<ConfigResource, Config> found = admin.describeConfigs(wanted.keySet()).all().get();
      List<Altered> altered = new ArrayList<>();
      Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
      wanted.forEach(
          (topic, value) -> {
            String before = found.get(topic).get(MENDED).value();
            if (!value.equals(before)) {
              altered.add(new Altered(topic.name(), MENDED, value, before));
              changes.put(
                  topic,
                  List.of(
                      new AlterConfigOp(new ConfigEntry(MENDED, value), AlterConfigOp.OpType.SET)));
            }
          });
      admin.incrementalAlterConfigs(changes).all().get();
      return altered;
    }
  }

  private static ConfigResource resource(Layout topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
  }

  private static Admin admin(KafkaAccess kafka, Duration atMost) {
    int millis = Math.toIntExact(atMost.toMillis());
    return kafka.admin(
        Map.of(
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
            millis,
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
            millis,
            AdminClientConfig.RETRY_BACKOFF_MS_CONFIG,
            50,
            AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
            50));
  }

  private static boolean isNew(KafkaFuture<Void> answer)
      throws ExecutionException, InterruptedException {
    try {
      answer.get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        return false;
      }
      throw e;
    }
  }
}
