package io.stoker.e2e.stack;

import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Everything on a topic from its beginning, in order of each partition, as it arrives. */
public final class TopicLog<T> implements AutoCloseable {
  private final KafkaConsumer<String, byte[]> consumer;
  private final Function<ConsumerRecord<String, byte[]>, T> reader;
  private final List<T> read = new ArrayList<>();
  private final Thread thread;
  private RuntimeException broken;

  /**
   * Starts to read.
   *
   * @param reader null for a record that is not to be kept
   */
  public TopicLog(
      KafkaAccess access, String topic, Function<ConsumerRecord<String, byte[]>, T> reader) {
    this.reader = reader;
    consumer =
        access.consumer(
            Map.of(
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                // What comes ends it at once; a dozen stacks that wait are not asked all the time.
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                5_000),
            new StringDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    thread = Thread.ofPlatform().name("reading-" + topic).daemon().start(this::run);
  }

  /** What was read so far. */
  public synchronized List<T> all() {
    return List.copyOf(read);
  }

  /**
   * Waits until what was read answers a question; it is asked again after each arrival.
   *
   * @param question null while there is no answer yet
   * @param otherwise what to say if there is none in time
   */
  public synchronized <A> A await(
      Duration atMost, Function<List<T>, A> question, Supplier<String> otherwise) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      if (broken != null) {
        throw broken;
      }
      A answer = question.apply(read);
      if (answer != null) {
        return answer;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(otherwise.get() + ", not within " + atMost);
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private void run() {
    try {
      while (true) {
        List<T> arrived = new ArrayList<>();
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> read(record, arrived));
        if (!arrived.isEmpty()) {
          add(arrived);
        }
      }
    } catch (WakeupException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void read(ConsumerRecord<String, byte[]> record, List<T> arrived) {
    T one = reader.apply(record);
    if (one != null) {
      arrived.add(one);
    }
  }

  private synchronized void add(List<T> arrived) {
    read.addAll(arrived);
    notifyAll();
  }

  private synchronized void fail(RuntimeException e) {
    broken = e;
    notifyAll();
  }

  @Override
  public void close() {
    consumer.wakeup();
    try {
      thread.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
