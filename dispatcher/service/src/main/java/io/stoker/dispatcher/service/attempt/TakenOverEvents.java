package io.stoker.dispatcher.service.attempt;

import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.dispatcher.service.runtime.PolledMicroBatcher;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jboss.logging.Logger;

/**
 * Reads what agents report where the replica that read it may have died with the scheduler: Kafka
 * gives its partitions away once its session is over, after 6 s, and until then the room that
 * became free on its hosts would seem taken. Who takes over reads them from where they were
 * acknowledged, and acknowledges nothing: whoever gets them reads the same again, which changes
 * nothing.
 */
@ApplicationScoped
public class TakenOverEvents {
  private static final Logger LOG = Logger.getLogger(TakenOverEvents.class);

  /** A session, and the handing out that follows it. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final KafkaAccess kafka;
  private final String group;
  private final String topic;
  private final KafkaClientService clients;
  private final KeyWatch keys;
  private final EventIntake intake;
  private final AtomicBoolean reading = new AtomicBoolean();

  /** Partitions that this replica's own readers have. */
  private final Set<TopicPartition> mine = ConcurrentHashMap.newKeySet();

  private volatile boolean stopped;

  TakenOverEvents(
      KafkaAccess kafka,
      StokerConfig config,
      Topics topics,
      KafkaClientService clients,
      KeyWatch keys,
      EventIntake intake) {
    this.kafka = kafka;
    this.group = StokerConfig.eventsGroup(config.group());
    this.topic = topics.events();
    this.clients = clients;
    this.keys = keys;
    this.intake = intake;
  }

  /** This replica has begun to schedule: reads for some seconds, on a thread of its own. */
  public void begin() {
    if (!stopped && reading.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("taken-over events").start(this::run);
    }
  }

  public void stop() {
    stopped = true;
  }

  private void run() {
    long begun = System.nanoTime();
    mine.clear();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      Set<TopicPartition> left = new HashSet<>(TopicReading.partitions(consumer, topic));
      while (!stopped && !left.isEmpty() && System.nanoTime() - begun < LONGEST.toNanos()) {
        lookForMine();
        if (!left.equals(consumer.assignment())) {
          consumer.assign(left);
        }
        take(consumer.poll(POLL));
        left.removeAll(mine);
      }
    } catch (RuntimeException e) {
      // Of Kafka or the database: whoever gets the partitions reads them.
      LOG.debugf("events are not read before Kafka gives them to somebody: %s", kafka.trouble(e));
    } finally {
      reading.set(false);
    }
  }

  /** Those that this replica reads anyway; its readers answer between two polls. */
  private void lookForMine() {
    clients
        .getConsumers(EventsChannel.CHANNEL)
        .forEach(one -> one.getAssignments().subscribe().with(mine::addAll, LOG::debug));
  }

  private void take(ConsumerRecords<byte[], byte[]> polled) {
    if (polled.isEmpty()) {
      return;
    }
    List<Received> records = PolledMicroBatcher.received(polled, record -> Optional.empty());
    keys.known().chain(() -> intake.take(records)).await().atMost(ANSWER);
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> settings = new HashMap<>(TopicReading.SETTINGS);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    // Where nothing was ever acknowledged, all of it is still to be heard.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 1024 * 1024);
    return kafka.consumer(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
