package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SilenceTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Silence silence = new Silence(nanos::get);

  @Test
  void whoComesBackInTimeWasNeverLost() {
    long received = 1;
    silence.look(received);
    for (int i = 0; i < 5; i++) {
      long silent = received;
      nanos.addAndGet(Silence.PATIENCE.toNanos() - 1);
      assertThatCode(() -> silence.look(silent)).doesNotThrowAnyException();
      silence.look(++received);
    }
  }

  @Test
  void whoStaysAwayIsLostAndItIsSaidForHowLong() {
    silence.look(7);
    nanos.addAndGet(Silence.PATIENCE.toNanos());

    assertThatThrownBy(() -> silence.look(7))
        .isInstanceOf(LostConnection.class)
        .hasMessage("Kafka cannot be reached any more, for 60 s");
  }
}
