package io.stoker.cli.run;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Measures how long Kafka has said nothing, whether it is away or only keeps its connections:
 * brokers that are started again are waited for, others are not.
 */
final class Silence {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LongSupplier nanos;
  private long heard;
  private long received = -1;

  /**
   * @param nanos a clock that only goes forward
   */
  Silence(LongSupplier nanos) {
    this.nanos = nanos;
    heard = nanos.getAsLong();
  }

  /**
   * Looks whether anything was said since the last look.
   *
   * @param bytes received so far; a broker answers twice a second, even if there is nothing new
   * @throws LostConnection if nothing has been said for too long
   */
  void look(long bytes) {
    long now = nanos.getAsLong();
    if (bytes != received) {
      received = bytes;
      heard = now;
    } else if (now - heard >= PATIENCE.toNanos()) {
      throw new LostConnection(
          "Kafka cannot be reached any more, for %d s".formatted(PATIENCE.toSeconds()));
    }
  }
}
