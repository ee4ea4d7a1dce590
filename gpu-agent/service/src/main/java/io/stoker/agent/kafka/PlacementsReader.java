package io.stoker.agent.kafka;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Meeting;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.loop.AgentLoop;
import io.stoker.agent.loop.PlacementRecords;
import io.stoker.agent.loop.RecordSignatures;
import io.stoker.common.life.Vital;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jboss.logging.Logger;

/**
 * Reads the host's placements topic from the offset in the journal. The raw client, since a channel
 * can neither be assigned a partition nor keep its offset elsewhere.
 *
 * <p>The dispatcher creates the topic when it hears the first hello, so it may not be there yet; a
 * fresh journal begins at its end, which is known before that hello.
 */
public final class PlacementsReader implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(PlacementsReader.class);
  private static final Duration POLL = Duration.ofSeconds(5);
  private static final Duration ASK = Duration.ofSeconds(5);
  private static final long PAUSE_MS = 250;
  private static final long LOGIN_AGAIN_MS = 2_000;

  private final PlacementRecords records;
  private final TopicPartition partition;
  private final String host;
  private final KafkaAccess kafka;
  private final Rendezvous rendezvous;
  private final AgentLoop loop;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private OptionalLong next = OptionalLong.empty();
  private volatile Consumer<byte[], byte[]> consumer;
  private String told = "";

  public PlacementsReader(
      String host,
      String topic,
      RecordSignatures signatures,
      KafkaAccess kafka,
      Rendezvous rendezvous,
      AgentLoop loop) {
    this.records = new PlacementRecords(host, signatures, rendezvous::offeredIn);
    this.rendezvous = rendezvous;
    this.partition = new TopicPartition(topic, 0);
    this.loop = loop;
    this.host = host;
    this.kafka = kafka;
    this.thread = Vital.thread("placements", this::work);
  }

  public static KafkaConsumer<byte[], byte[]> consumer(KafkaAccess kafka, String name) {
    Map<String, Object> own =
        Map.of(
            "client.id",
            "stoker-agent-" + name,
            "enable.auto.commit",
            false,
            "allow.auto.create.topics",
            false,
            // A topic that was made anew, or cleaned beyond the journaled offset: all that is there
            // may matter, and what does not is refused by its epoch and number.
            "auto.offset.reset",
            "earliest",
            "fetch.max.wait.ms",
            5_000,
            "reconnect.backoff.max.ms",
            2_000,
            "metadata.max.age.ms",
            60_000,
            "enable.metrics.push",
            false);
    return kafka.consumer(own, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Begins to read.
   *
   * @param journaled the first offset to read, if the journal knows it
   */
  public void start(OptionalLong journaled) {
    next = journaled;
    thread.start();
  }

  private boolean open() {
    return closed.getCount() > 0;
  }

  private void work() {
    boolean resumed = false;
    while (open()) {
      try (Consumer<byte[], byte[]> fresh = consumer(kafka, host)) {
        consumer = fresh;
        if (!resumed) {
          rendezvous.resume(loop.ask(Meeting::all).join());
          resumed = true;
        }
        read(fresh);
      } catch (WakeupException e) {
        LOG.debug("reading of placements was ended");
      } catch (AuthenticationException e) {
        tell(kafka.trouble(e));
        pause(LOGIN_AGAIN_MS);
      } catch (KafkaException e) {
        tell(kafka.trouble(e));
        pause(PAUSE_MS);
      } catch (RuntimeException e) {
        // A host whose reader has ended would be up and take nothing, for ever.
        LOG.error("placements cannot be read, trying again", e);
        pause(PAUSE_MS);
      }
    }
  }

  private void read(Consumer<byte[], byte[]> reading) {
    boolean there = isThere(reading);
    reading.assign(List.of(partition));
    if (next.isEmpty()) {
      long start = there ? reading.endOffsets(List.of(partition), ASK).get(partition) : 0;
      next = OptionalLong.of(start);
      loop.post(new Input.PlacementsFrom(start));
    }
    while (!there && open()) {
      pause(PAUSE_MS);
      there = isThere(reading);
    }
    reading.seek(partition, next.getAsLong());
    while (open()) {
      hand(reading.poll(POLL));
    }
  }

  /** Asks until a broker answers whether the topic is there. */
  private boolean isThere(Consumer<byte[], byte[]> reading) {
    while (true) {
      try {
        List<?> partitions = reading.partitionsFor(partition.topic(), ASK);
        tell("");
        return partitions != null && !partitions.isEmpty();
      } catch (TimeoutException e) {
        tell(kafka.refused(e).orElseGet(() -> "no broker answers at " + kafka));
        if (!open()) {
          throw new WakeupException();
        }
      }
    }
  }

  /** Once, and not every few seconds for days. */
  private void tell(String trouble) {
    if (trouble.equals(told)) {
      return;
    }
    if (trouble.isEmpty()) {
      LOG.info("a broker answers now");
    } else {
      LOG.warnf("%s: trying on, and serving once one answers", trouble);
    }
    told = trouble;
  }

  private void hand(ConsumerRecords<byte[], byte[]> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      loop.post(input(record));
      next = OptionalLong.of(record.offset() + 1);
    }
    if (!records.isEmpty()) {
      // Not more than one poll ahead of what has been dealt with.
      loop.caughtUp().join();
      rendezvous.settle(() -> loop.ask(Meeting::all).join());
    }
  }

  private Input input(ConsumerRecord<byte[], byte[]> record) {
    return records.read(
        new ReceivedRecord(
            record.topic(), record.partition(), record.offset(), record.key(), record.value()));
  }

  private void pause(long ms) {
    try {
      if (closed.await(ms, TimeUnit.MILLISECONDS)) {
        LOG.debug("closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    Consumer<byte[], byte[]> reading = consumer;
    if (reading != null) {
      reading.wakeup();
    }
  }
}
