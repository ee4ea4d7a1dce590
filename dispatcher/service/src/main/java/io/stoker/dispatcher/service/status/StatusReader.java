package io.stoker.dispatcher.service.status;

import io.stoker.common.life.Vital;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.StokerConfig.StatusTopics;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jboss.logging.Logger;

/**
 * Reads the topics of statuses as consumers do, for a {@link LastStatusCheck}. Who schedules reads,
 * from where the one before had got to.
 */
@ApplicationScoped
public class StatusReader {
  private static final Logger LOG = Logger.getLogger(StatusReader.class);
  private static final Duration POLL = Duration.ofSeconds(2);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** After which a topic that may not be read is tried again. */
  private static final long DENIED_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** Whoever comes next reads again what was read since. */
  private static final long COMMITTED_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final KafkaAccess kafka;
  private final String group;
  private final Topics topics;
  private final QueuesTopics own;

  /** Those that have a topic of their own. */
  private final List<String> queues;

  private final LastStatusCheck check;

  /** All that are read, and as what the check knows them. */
  private Map<TopicPartition, Integer> places = Map.of();

  private Map<TopicPartition, Long> committed = Map.of();

  /** When that may be noted again. */
  private long commitNanos = System.nanoTime();

  private BooleanSupplier schedules = () -> false;

  /** Topics of queues that may not be read, until when they are left out. */
  private final Set<String> denied = new HashSet<>();

  private long deniedNanos;
  private volatile boolean stopped;
  private Thread thread;

  StatusReader(
      KafkaAccess kafka,
      StokerConfig config,
      Topics topics,
      QueuesTopics own,
      Queues queues,
      LastStatusCheck check) {
    this.kafka = kafka;
    this.group = group(config.group());
    this.topics = topics;
    this.own = own;
    this.queues =
        config.status().topics() == StatusTopics.PER_QUEUE
            ? queues.all().stream().map(QueueSettings::name).toList()
            : List.of();
    this.check = check;
  }

  /**
   * The group under whose name is kept how far it was read.
   *
   * @param dispatchers their group, as {@code stoker.group} names it
   */
  public static String group(String dispatchers) {
    return dispatchers + "-statuses";
  }

  /**
   * Begins to read.
   *
   * @param scheduling whether this replica schedules now
   */
  public void start(BooleanSupplier scheduling) {
    schedules = scheduling;
    thread = Vital.thread("statuses", this::run);
    thread.start();
  }

  public void stop() throws InterruptedException {
    stopped = true;
    if (thread != null) {
      thread.interrupt();
      thread.join(Duration.ofSeconds(5));
    }
  }

  private void run() {
    while (!stopped) {
      if (schedules.getAsBoolean()) {
        open();
      }
      LockSupport.parkNanos(IDLE_NANOS);
    }
  }

  private void open() {
    try (KafkaConsumer<String, Void> consumer = consumer()) {
      TopicReading.untilInterrupted(() -> readWhileScheduling(consumer));
    } catch (RuntimeException e) {
      // Of Kafka or the database: what was not compared is read again.
      if (!stopped) {
        LOG.warnf("statuses cannot be looked at, trying again: %s", kafka.trouble(e));
      }
      if (e instanceof TopicAuthorizationException right) {
        right.unauthorizedTopics().forEach(this::leaveOut);
      }
    }
  }

  private void readWhileScheduling(KafkaConsumer<String, Void> consumer) {
    check.clear();
    assign(consumer);
    while (!stopped && schedules.getAsBoolean() && !isDenialOver()) {
      read(consumer);
    }
  }

  private void assign(KafkaConsumer<String, Void> consumer) {
    List<TopicPartition> all = new ArrayList<>(TopicReading.partitions(consumer, topics.status()));
    for (String queue : queues) {
      String topic = topics.status(queue);
      if (!denied.contains(topic) && own.ready(queue).await().atMost(ANSWER)) {
        all.addAll(TopicReading.partitions(consumer, topic));
      } else {
        leaveOut(topic);
      }
    }
    consumer.assign(all);
    places = new HashMap<>();
    all.forEach(one -> places.put(one, places.size()));
    committed = positions(consumer);
  }

  /** What is of other queues is looked at meanwhile. */
  private void leaveOut(String topic) {
    if (denied.isEmpty()) {
      deniedNanos = System.nanoTime();
    }
    denied.add(topic);
  }

  private boolean isDenialOver() {
    boolean over = !denied.isEmpty() && System.nanoTime() - deniedNanos >= DENIED_NANOS;
    if (over) {
      denied.clear();
    }
    return over;
  }

  private void read(KafkaConsumer<String, Void> consumer) {
    ConsumerRecords<String, Void> polled = consumer.poll(POLL);
    for (TopicPartition partition : polled.partitions()) {
      int place = places.get(partition);
      for (ConsumerRecord<String, Void> record : polled.records(partition)) {
        if (record.key() != null) {
          long version = StatusTransport.version(record.headers());
          check.read(record.key(), version, place, record.offset());
        }
      }
    }
    boolean more = true;
    while (more && !stopped) {
      more = check.compare().await().atMost(ANSWER);
    }
    commit(consumer);
  }

  private void commit(KafkaConsumer<String, Void> consumer) {
    if (System.nanoTime() - commitNanos < 0) {
      return;
    }
    commitNanos = System.nanoTime() + COMMITTED_EVERY_NANOS;
    Map<TopicPartition, Long> positions = positions(consumer);
    if (positions.equals(committed)) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    positions.forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
    try {
      consumer.commitSync(offsets, ANSWER);
      committed = positions;
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      LOG.debugf("how far statuses were looked at is not noted, which is tried again: %s", e);
    }
  }

  /** From where whoever comes next has to read. */
  private Map<TopicPartition, Long> positions(KafkaConsumer<String, Void> consumer) {
    Map<Integer, Long> from = check.from();
    Map<TopicPartition, Long> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      Long kept = from.get(places.get(partition));
      positions.put(partition, kept == null ? consumer.position(partition, ANSWER) : kept);
    }
    return positions;
  }

  private KafkaConsumer<String, Void> consumer() {
    Map<String, Object> settings = new HashMap<>(TopicReading.SETTINGS);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    // What was published before anybody read is looked at, too.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // Nobody waits for this: few large answers take less than many small ones.
    settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 256 * 1024);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) POLL.toMillis());
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 2 * 1024 * 1024);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
    return kafka.consumer(settings, new StringDeserializer(), new Unread());
  }

  /** Leaves values where they are: the headers tell all that is asked for. */
  private static final class Unread implements Deserializer<Void> {
    @Override
    public Void deserialize(String from, byte[] value) {
      return null;
    }

    @Override
    public Void deserialize(String from, Headers headers, ByteBuffer value) {
      return null;
    }
  }
}
