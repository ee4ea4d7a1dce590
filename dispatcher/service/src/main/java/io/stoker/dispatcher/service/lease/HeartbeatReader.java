package io.stoker.dispatcher.service.lease;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.life.Vital;
import io.stoker.common.message.HostMessage;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.lease.EndOfLog;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.config.HostKeys.Proof;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.dispatcher.service.runtime.PolledInbox;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
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
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final long CHECK_END_MS = 1000;

  private final KafkaAccess kafka;
  private final Topics topics;
  private final HostDirectory directory;
  private final HostKeys keys;
  private final KeyWatch known;
  private final HostMessages messages;
  private final DeadLetters deadLetters;
  private final SetAsides asides;
  private volatile String trouble = "";
  private volatile boolean stopped;
  private Thread thread;

  HeartbeatReader(
      KafkaAccess kafka,
      Topics topics,
      HostDirectory directory,
      HostKeys keys,
      KeyWatch known,
      HostMessages messages,
      DeadLetters deadLetters,
      SetAsides asides) {
    this.kafka = kafka;
    this.topics = topics;
    this.directory = directory;
    this.keys = keys;
    this.known = known;
    this.messages = messages;
    this.deadLetters = deadLetters;
    this.asides = asides;
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
        handle(record);
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

  private void handle(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      return;
    }
    try {
      JsonNode tree = Json.read(record.value());
      HostMessage message = Json.read(tree, HostMessage.class);
      Proof proof = message.host() == null ? Proof.REFUSED : keys.proof(message.host(), tree);
      if (proof == Proof.REFUSED) {
        dead(record, "not signed with the key of host " + message.host());
        return;
      }
      if (lacksSomething(message)) {
        dead(record, "a message of a host lacks what it holds, or what it has");
        return;
      }
      messages.take(message, proof == Proof.SIGNED, error -> hasNoEffect(record, error));
    } catch (MalformedJson e) {
      dead(record, "no message of a host: " + e.getMessage());
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      // One host's message must not end the reading of all others'.
      await("unknown", hasNoEffect(record, e));
    }
  }

  private Uni<Void> hasNoEffect(ConsumerRecord<byte[], byte[]> record, Throwable error) {
    LOG.warnf(error, "a message of key %s has no effect", key(record));
    asides.failed("messages of hosts", key(record), error);
    return deadLetters.send(
        PolledInbox.received(record), "it has no effect: " + Fault.sentence(error));
  }

  /** What every message of its type has, whatever build sent it: sweeps and passes go by it. */
  private static boolean lacksSomething(HostMessage message) {
    return switch (message) {
      case HostMessage.Heartbeat beat -> beat.held() == null || beat.reserved() == null;
      case HostMessage.Hello hello -> hello.held() == null || hello.resources() == null;
      case HostMessage.Inventory all -> all.held() == null || all.resources() == null;
      case HostMessage.Goodbye goodbye -> false;
    };
  }

  private static String key(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null ? "none" : new String(record.key(), StandardCharsets.UTF_8);
  }

  private static void await(String host, Uni<Void> answer) {
    try {
      answer.await().atMost(ANSWER);
    } catch (RuntimeException e) {
      LOG.warnf(e, "host %s was not answered; it asks again", host);
    }
  }

  private void dead(ConsumerRecord<byte[], byte[]> record, String reason) {
    await("unknown", deadLetters.send(PolledInbox.received(record), reason));
  }
}
