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
    for (int i = 0; i < 5; i++) {
      nanos.addAndGet(Silence.PATIENCE.toNanos() - 1);
      assertThatCode(() -> silence.look(false)).doesNotThrowAnyException();
      silence.look(true);
    }
  }

  @Test
  void whoStaysAwayIsLostAndItIsSaidForHowLong() {
    silence.look(true);
    nanos.addAndGet(Silence.PATIENCE.toNanos());

    assertThatThrownBy(() -> silence.look(false))
        .isInstanceOf(LostConnection.class)
        .hasMessage("Kafka cannot be reached any more, for 60 s");
  }
}
