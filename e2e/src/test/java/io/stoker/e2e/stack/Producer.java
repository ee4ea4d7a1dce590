package io.stoker.e2e.stack;

import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A plain Kafka producer, as anybody has one; it knows nothing of Stoker. Safe for use by many
 * threads.
 */
public final class Producer implements AutoCloseable {
  private static final int LARGEST = 16 << 20;

  private final Topics topics;
  private final KafkaProducer<String, byte[]> kafka;
  private final Queue<Future<RecordMetadata>> unconfirmed = new ConcurrentLinkedQueue<>();

  Producer(KafkaAccess access, Topics topics) {
    this.topics = topics;
    kafka =
        access.producer(
            Map.of(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                LARGEST,
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                2L * LARGEST,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                180_000),
            new StringSerializer(),
            new ByteArraySerializer());
  }

  /** A request as a JSON value under its id, without headers. */
  public void request(Posted request) {
    send(new ProducerRecord<>(topics.requests(), request.id(), request.bytes()));
  }

  /** A value on the requests topic under any key. */
  public void request(String key, byte[] value) {
    send(new ProducerRecord<>(topics.requests(), key, value));
  }

  public void send(ProducerRecord<String, byte[]> record) {
    unconfirmed.add(kafka.send(record));
  }

  /** Returns once the broker has everything that was sent. */
  public void flush() {
    kafka.flush();
    for (Future<RecordMetadata> one = unconfirmed.poll(); one != null; one = unconfirmed.poll()) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new AssertionError("the broker did not take a record", e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    kafka.close();
  }
}
