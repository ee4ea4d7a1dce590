package io.stoker.cli.topics;

import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics of a layout that are not there yet; leaves those that are as they are. */
public final class TopicCreator {
  private TopicCreator() {}

  /**
   * @param queues that get a request topic of their own
   * @param replication on how many of the brokers that are there
   * @param atMost how long Kafka may take to answer
   * @return the names of the topics that were made now
   * @throws ExecutionException if Kafka does not answer or refuses
   */
  public static List<String> create(
      KafkaAccess kafka,
      Topics layout,
      Collection<String> queues,
      Replication replication,
      Duration atMost)
      throws ExecutionException, InterruptedException {
    int millis = Math.toIntExact(atMost.toMillis());
    Map<String, Object> settings =
        Map.of(
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
            millis,
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
            millis,
            AdminClientConfig.RETRY_BACKOFF_MS_CONFIG,
            50,
            AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
            50);
    try (Admin admin = kafka.admin(settings)) {
      short factor = replication.factor(admin.describeCluster().nodes().get().size());
      List<NewTopic> wanted =
          layout.layouts(queues).stream()
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
