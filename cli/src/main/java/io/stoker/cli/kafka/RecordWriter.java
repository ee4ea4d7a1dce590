package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes to one topic, in order within a key, and knows when the broker has all of it. */
public final class RecordWriter implements AutoCloseable {
  private final KafkaAccess kafka;
  private final String topic;
  private final KafkaProducer<String, byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  /**
   * @param lingerMillis how long a record may wait for others to go with: 0 for the quickest one, a
   *     few for many
   * @throws CliException with exit code 3 if Kafka's settings are wrong or there is no token
   */
  public RecordWriter(KafkaAccess kafka, String topic, int lingerMillis) {
    this.kafka = kafka;
    this.topic = topic;
    try {
      this.producer =
          kafka.producer(settings(lingerMillis), new StringSerializer(), new ByteArraySerializer());
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(kafka, e);
    }
  }

  /** Sends a record; {@link #flush} tells whether it arrived. */
  public void send(String key, byte[] value) {
    send(key, value, written -> {});
  }

  /**
   * As {@link #send(String, byte[])}.
   *
   * @param acknowledged is told, on another thread, where the broker put it
   */
  public void send(String key, byte[] value, Consumer<RecordMetadata> acknowledged) {
    try {
      producer.send(
          new ProducerRecord<>(topic, key, value),
          (written, problem) -> {
            if (problem == null) {
              acknowledged.accept(written);
            } else {
              failure.compareAndSet(null, problem);
            }
          });
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(kafka, e);
    }
  }

  /**
   * Returns when the broker has everything.
   *
   * @throws CliException with exit code 3 if it has not
   */
  public void flush() {
    producer.flush();
    Exception problem = failure.get();
    if (problem != null) {
      throw KafkaTrouble.unreachable(kafka, problem);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }

  private static Map<String, Object> settings(int lingerMillis) {
    return Map.of(
        ProducerConfig.ACKS_CONFIG,
        "all",
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
        true,
        ProducerConfig.LINGER_MS_CONFIG,
        lingerMillis,
        ProducerConfig.BATCH_SIZE_CONFIG,
        128 * 1024,
        // A request of 1 MiB and its envelope.
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        2 << 20,
        ProducerConfig.MAX_BLOCK_MS_CONFIG,
        Math.toIntExact(TopicConsumer.PATIENCE.toMillis()),
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        30_000,
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
        10_000,
        ProducerConfig.CLIENT_ID_CONFIG,
        "stoker-cli");
  }
}
