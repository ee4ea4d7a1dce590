package io.stoker.cli.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Measures how long Kafka has said nothing, whether it is away or only keeps its connections:
 * brokers that are started again are waited for, others are not.
 */
final class Silence {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of the time between two looks no more counts: a shell may have stopped this process. */
  static final Duration LONGEST_STEP = Duration.ofSeconds(10);

  /** A look costs more than a poll. */
  private static final long LOOKS_APART = Duration.ofSeconds(1).toNanos();

  private final LongSupplier bytes;
  private final LongSupplier nanos;
  private long received;
  private long looked;
  private long silent;

  /**
   * @param bytes received so far; a broker answers twice a second, even if there is nothing new
   * @param nanos a clock that only goes forward
   */
  Silence(LongSupplier bytes, LongSupplier nanos) {
    this.bytes = bytes;
    this.nanos = nanos;
    received = bytes.getAsLong();
    looked = nanos.getAsLong();
  }

  static Silence of(Consumer<?, ?> consumer) {
    return new Silence(() -> received(consumer), System::nanoTime);
  }

  /** Bytes that brokers have sent so far, if only to say that there is nothing new. */
  private static long received(Consumer<?, ?> consumer) {
    return consumer.metrics().values().stream()
        .filter(metric -> metric.metricName().group().equals("consumer-metrics"))
        .filter(metric -> metric.metricName().name().equals("incoming-byte-total"))
        .mapToLong(metric -> ((Number) metric.metricValue()).longValue())
        .sum();
  }

  /**
   * Looks whether anything was said since the last look.
   *
   * @throws LostConnection if nothing has been said for too long
   */
  void look() {
    long passed = nanos.getAsLong() - looked;
    if (passed < LOOKS_APART) {
      return;
    }
    looked += passed;
    long before = received;
    received = bytes.getAsLong();
    silent = received == before ? silent + Math.min(passed, LONGEST_STEP.toNanos()) : 0;
    if (silent >= PATIENCE.toNanos()) {
      throw new LostConnection(
          "Kafka cannot be reached any more, for %d s".formatted(PATIENCE.toSeconds()));
    }
  }
}
