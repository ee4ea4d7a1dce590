package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.kafka.KafkaAccess;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jboss.logging.Logger;

/**
 * Follows the topics of statuses, of heartbeats and of what people tell hosts while views are open,
 * and tells each of them that something of it has changed. One reader serves all of them; without
 * any there is none.
 */
@ApplicationScoped
class Changes {
  private static final Logger LOG = Logger.getLogger(Changes.class);

  /** As often as any view is told something. */
  private static final Duration POLL = Duration.ofMillis(250);

  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  /** Who goes from view to view leaves one before the next is there. */
  private static final long LINGER_NANOS = Duration.ofSeconds(5).toNanos();

  private final KafkaAccess kafka;
  private final Topics topics;
  private final HostDirectory directory;
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
  private Thread reader;
  private volatile boolean stopped;

  Changes(KafkaAccess kafka, Topics topics, HostDirectory directory) {
    this.kafka = kafka;
    this.topics = topics;
    this.directory = directory;
  }

  /** Signals that something of a view has changed, until who asked has gone. */
  Multi<Watcher.Signal> of(Watch watch) {
    return Multi.createFrom()
        .emitter(
            emitter -> {
              Watcher watcher = new Watcher(watch, emitter::emit, System.nanoTime());
              emitter.onTermination(() -> watchers.remove(watcher));
              watchers.add(watcher);
              begin();
            },
            BackPressureStrategy.LATEST);
  }

  /** Whether there is a reader. */
  synchronized boolean follows() {
    return reader != null;
  }

  private synchronized void begin() {
    if (reader == null && !stopped) {
      reader = Thread.ofPlatform().daemon().name("changes").start(this::run);
    }
  }

  /** Whether nobody has come since the reader saw that all had gone. */
  private synchronized boolean ends() {
    if (watchers.isEmpty() || stopped) {
      reader = null;
      return true;
    }
    return false;
  }

  @PreDestroy
  void stop() {
    stopped = true;
    Thread reading;
    synchronized (this) {
      reading = reader;
    }
    if (reading != null) {
      reading.interrupt();
    }
  }

  private void run() {
    do {
      try (KafkaConsumer<String, byte[]> consumer = consumer()) {
        read(consumer);
      } catch (InterruptException e) {
        LOG.debug("following changes ends");
      } catch (RuntimeException e) {
        LOG.warnf("changes cannot be followed, trying again: %s", kafka.trouble(e));
        // They may have to say that Kafka is away.
        watchers.forEach(Watcher::seeAll);
        tell();
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    } while (!ends());
  }

  private void read(KafkaConsumer<String, byte[]> consumer) {
    List<TopicPartition> partitions =
        Stream.of(topics.status(), topics.heartbeats(), topics.control())
            .flatMap(topic -> TopicReading.partitions(consumer, topic).stream())
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    watchers.forEach(Watcher::seeAll);
    HostsShown hosts = new HostsShown(directory::alive);
    long looked = System.nanoTime();
    while (!stopped && System.nanoTime() - looked < LINGER_NANOS) {
      for (Change change : changes(consumer, hosts)) {
        watchers.forEach(watcher -> watcher.see(change));
      }
      tell();
      if (!watchers.isEmpty()) {
        looked = System.nanoTime();
      }
    }
  }

  private void tell() {
    long now = System.nanoTime();
    watchers.forEach(watcher -> watcher.tell(now));
  }

  private List<Change> changes(KafkaConsumer<String, byte[]> consumer, HostsShown hosts) {
    List<Change> changes = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
      if (record.key() == null) {
        continue;
      }
      if (record.topic().equals(topics.status())) {
        changes.add(ofStatus(record));
      } else if (record.topic().equals(topics.control())) {
        // Its key is what it is about: a request's own changes are told by statuses.
        changes.add(Change.ofHost(record.key()));
      } else if (differs(record, hosts)) {
        changes.add(Change.ofHost(record.key()));
      }
    }
    hosts.turned().forEach(host -> changes.add(Change.ofHost(host)));
    return changes;
  }

  /** What cannot be read is not shown. */
  private static boolean differs(ConsumerRecord<String, byte[]> record, HostsShown hosts) {
    try {
      return record.value() != null
          && hosts.differs(record.key(), Json.read(record.value(), HostMessage.class));
    } catch (MalformedJson e) {
      return false;
    }
  }

  /** Of one that was dropped, and of one that cannot be read, the id alone is known. */
  private static Change ofStatus(ConsumerRecord<String, byte[]> record) {
    Change bare = new Change(record.key(), null, null, null, null);
    if (record.value() == null) {
      return bare;
    }
    try {
      return Json.read(record.value(), Change.class);
    } catch (MalformedJson e) {
      return bare;
    }
  }

  private KafkaConsumer<String, byte[]> consumer() {
    Map<String, Object> settings = new HashMap<>(TopicReading.SETTINGS);
    // Few large answers take less than many small ones, and views are told no sooner.
    settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 256 * 1024);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) POLL.toMillis());
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
    return kafka.consumer(settings, new StringDeserializer(), new ByteArrayDeserializer());
  }
}
