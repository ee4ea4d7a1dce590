package io.stoker.dispatcher.service.host;

import io.stoker.common.life.Vital;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.host.EndOfLog;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jboss.logging.Logger;

/**
 * Reads the heartbeat log by assignment, from its end at the start: every replica hears every host,
 * and what was said before it started proves nothing to it. It also tells whether it holds the end
 * of the log, without which no host may be taken for lost.
 */
@ApplicationScoped
public class HeartbeatReader {
  private static final Logger LOG = Logger.getLogger(HeartbeatReader.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final long CHECK_END_MS = 1000;

  private final KafkaAccess kafka;
  private final Topics topics;
  private final HostDirectory directory;
  private final KeyWatch known;
  private final HostRecords records;
  private volatile String trouble = "";
  private volatile boolean stopped;
  private Thread thread;

  HeartbeatReader(
      KafkaAccess kafka,
      Topics topics,
      HostDirectory directory,
      KeyWatch known,
      HostRecords records) {
    this.kafka = kafka;
    this.topics = topics;
    this.directory = directory;
    this.known = known;
    this.records = records;
  }

  public void start() {
    thread = Vital.thread("heartbeats", this::run);
    thread.start();
  }

  public void stop() throws InterruptedException {
    stopped = true;
    if (thread != null) {
      thread.interrupt();
      thread.join(Duration.ofSeconds(5));
    }
  }

  /** Why Kafka lets nobody in here, in a sentence; blank if that is not so. */
  String trouble() {
    return trouble;
  }

  private void run() {
    while (!stopped) {
      try (KafkaConsumer<byte[], byte[]> consumer =
          kafka.consumer(
              TopicReading.SETTINGS, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        List<TopicPartition> partitions = TopicReading.partitions(consumer, topics.heartbeats());
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        trouble = "";
        // Which keys are taken is in the database; whether Kafka lets one in shows without it.
        known.known().await().indefinitely();
        TopicReading.untilInterrupted(() -> read(consumer, partitions));
      } catch (InterruptException e) {
        LOG.debug("reading heartbeats ends");
      } catch (KafkaException e) {
        Optional<String> refused = kafka.refused(e);
        trouble = refused.orElse("");
        again(refused.orElse(e.getMessage()));
      } catch (RuntimeException e) {
        // Who has stopped reading would hear no host, for ever.
        again(e.toString());
      }
    }
  }

  private void again(String why) {
    directory.atEnd(false);
    LOG.warnf("heartbeats cannot be read, trying again: %s", why);
    LockSupport.parkNanos(CHECK_END_MS * 1_000_000);
  }

  private void read(KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
    EndOfLog<TopicPartition> end = new EndOfLog<>();
    long lastAsked = nowMs() - CHECK_END_MS;
    while (!stopped) {
      if (nowMs() - lastAsked >= CHECK_END_MS && end.toBeAsked(nowMs())) {
        lastAsked = nowMs();
        ask(consumer, partitions, end);
        // Before a poll: what it brings is dealt with knowing whether it comes in arrears.
        noteEnd(consumer, end);
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        records.take(record);
      }
      noteEnd(consumer, end);
    }
  }

  private void noteEnd(KafkaConsumer<byte[], byte[]> consumer, EndOfLog<TopicPartition> end) {
    if (end.reached(consumer::position, nowMs())) {
      directory.atEnd(true);
    }
  }

  private void ask(
      KafkaConsumer<byte[], byte[]> consumer,
      List<TopicPartition> partitions,
      EndOfLog<TopicPartition> end) {
    try {
      end.asked(consumer.endOffsets(partitions, PATIENCE), nowMs());
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      directory.atEnd(false);
    }
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}
