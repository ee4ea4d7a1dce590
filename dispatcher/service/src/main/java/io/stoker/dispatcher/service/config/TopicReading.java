package io.stoker.dispatcher.service.config;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka's consumer as those have it who read all partitions of a topic, all the time. */
public final class TopicReading {
  /** Without an answer for so long another connection is tried. */
  private static final int SILENCE_MS = 5_000;

  /** It commits nothing by itself, makes no topic, and leaves connections that fall silent. */
  public static final Map<String, Object> SETTINGS =
      Map.of(
          ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
          SILENCE_MS,
          ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
          2 * SILENCE_MS,
          ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG,
          SILENCE_MS,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          false,
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          false);

  private TopicReading() {}

  /**
   * Those of a topic.
   *
   * @throws UnknownTopicOrPartitionException if there is no such topic
   */
  public static List<TopicPartition> partitions(Consumer<?, ?> consumer, String topic) {
    List<PartitionInfo> infos = consumer.partitionsFor(topic);
    if (infos == null || infos.isEmpty()) {
      throw new UnknownTopicOrPartitionException("no topic " + topic);
    }
    return infos.stream().map(info -> new TopicPartition(info.topic(), info.partition())).toList();
  }

  /** Reads until the thread is interrupted; it can close its consumer in order then. */
  public static void untilInterrupted(Runnable reading) {
    try {
      reading.run();
    } catch (InterruptException e) {
      // Kafka's client sets the flag again, and fails to close while it is set.
      Thread.interrupted();
    }
  }
}
