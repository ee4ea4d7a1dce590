package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * All that is written to some topics from the moment on which this was opened. It belongs to no
 * group: nobody else's reading is disturbed, and nothing is left at the broker.
 */
public final class TopicTail implements AutoCloseable {
  private final Consumer<byte[], byte[]> consumer;
  private final Silence silence;

  TopicTail(Consumer<byte[], byte[]> consumer, Silence silence) {
    this.consumer = consumer;
    this.silence = silence;
  }

  /**
   * Opens at the topics' ends. What is written after this returned is read, to the last record.
   *
   * @throws CliException with exit code 3 if Kafka does not answer or lacks a topic
   */
  public static TopicTail open(KafkaAccess kafka, List<String> topics) {
    KafkaConsumer<byte[], byte[]> consumer = TopicConsumer.of(kafka);
    try {
      List<TopicPartition> partitions = new ArrayList<>();
      for (String topic : topics) {
        partitions.addAll(TopicConsumer.partitions(consumer, kafka, topic));
      }
      consumer.assign(partitions);
      consumer.seekToEnd(partitions);
      // Seeking is lazy: only asking for a position fixes it.
      partitions.forEach(partition -> consumer.position(partition, TopicConsumer.PATIENCE));
      return new TopicTail(consumer, Silence.of(consumer));
    } catch (KafkaException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw KafkaTrouble.unreachable(kafka, e);
    } catch (RuntimeException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw e;
    }
  }

  /**
   * All that is ever written to the first partitions of topics that are still to be made.
   *
   * @throws CliException with exit code 3 if Kafka's address cannot be read
   */
  public static TopicTail ofNewTopics(KafkaAccess kafka, List<String> topics) {
    KafkaConsumer<byte[], byte[]> consumer = TopicConsumer.of(kafka);
    List<TopicPartition> partitions =
        topics.stream().map(topic -> new TopicPartition(topic, 0)).toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return new TopicTail(consumer, Silence.of(consumer));
  }

  /**
   * What came in meanwhile; empty after {@code atMost}, or at once after {@link #wakeUp}.
   *
   * @throws LostConnection if no broker has said anything for long
   */
  public Iterable<ConsumerRecord<byte[], byte[]>> poll(Duration atMost) {
    try {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(atMost);
      silence.look();
      return records;
    } catch (WakeupException | InterruptException e) {
      return ConsumerRecords.empty();
    }
  }

  /** Ends a {@link #poll} that goes on in another thread, or the next one. */
  public void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
