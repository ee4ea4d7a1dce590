package io.stoker.cli.bench;

import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records written to a topic of their own as the stack writes its own (all acknowledged, in
 * batches), while the same thread reads the topic to its end. Closing removes the topic.
 */
final class KafkaFloor implements AutoCloseable {
  /** As long as most statuses are. */
  private static final int RECORD_BYTES = 650;

  private static final int LINGER_MILLIS = 5;

  /** As many as one poll returns. */
  private static final int AT_ONCE = 500;

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Admin admin;
  private final String topic;
  private final RecordWriter writer;
  private final TopicTail tail;
  private final byte[] value = new byte[RECORD_BYTES];

  private KafkaFloor(Admin admin, KafkaAccess kafka, String topic) {
    this.admin = admin;
    this.topic = topic;
    this.writer = new RecordWriter(kafka, topic, LINGER_MILLIS);
    this.tail = TopicTail.ofNewTopics(kafka, List.of(topic));
    Arrays.fill(value, (byte) 'x');
  }

  /** Makes a topic of one partition for it. */
  static KafkaFloor open(KafkaAccess kafka) {
    int millis = Math.toIntExact(PATIENCE.toMillis());
    Admin admin =
        kafka.admin(
            Map.of(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis));
    String topic = "bench-floor-" + UUID.randomUUID();
    try {
      admin
          .createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())))
          .all()
          .get();
      return new KafkaFloor(admin, kafka, topic);
    } catch (ExecutionException e) {
      admin.close(Duration.ZERO);
      throw CliException.failed("Kafka makes no topic to measure its floor: " + e.getCause());
    } catch (InterruptedException e) {
      admin.close(Duration.ZERO);
      Thread.currentThread().interrupt();
      throw CliException.interrupted();
    }
  }

  /** Writes so many and returns when all are read. */
  void run(int records) {
    int written = 0;
    int read = 0;
    long lastNews = System.nanoTime();
    while (read < records) {
      int next = Math.min(records, written + AT_ONCE);
      for (; written < next; written++) {
        writer.send(Integer.toString(written), value);
      }
      int more = count(tail.poll(written < records ? Duration.ZERO : POLL));
      read += more;
      if (more > 0) {
        lastNews = System.nanoTime();
      } else if (System.nanoTime() - lastNews > PATIENCE.toNanos()) {
        throw CliException.failed(
            "%,d of %,d records were read from %s, and no more within %d s"
                .formatted(read, records, topic, PATIENCE.toSeconds()));
      }
      if (Thread.currentThread().isInterrupted()) {
        throw CliException.interrupted();
      }
    }
    writer.flush();
  }

  private static int count(Iterable<ConsumerRecord<byte[], byte[]>> records) {
    int count = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    writer.close();
    tail.close();
    admin.deleteTopics(List.of(topic));
    // Returns once that is answered.
    admin.close(PATIENCE);
  }
}
