package io.stoker.cli.run;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How long Kafka has been away: brokers that are started again are waited for, others are not. */
final class Silence {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LongSupplier nanos;
  private long heard;

  /**
   * @param nanos a clock that only goes forward
   */
  Silence(LongSupplier nanos) {
    this.nanos = nanos;
    heard = nanos.getAsLong();
  }

  /**
   * Looks whether anybody is there.
   *
   * @throws LostConnection if nobody has been for too long
   */
  void look(boolean connected) {
    long now = nanos.getAsLong();
    if (connected) {
      heard = now;
    } else if (now - heard >= PATIENCE.toNanos()) {
      throw new LostConnection(
          "Kafka cannot be reached any more, for %d s".formatted(PATIENCE.toSeconds()));
    }
  }
}
