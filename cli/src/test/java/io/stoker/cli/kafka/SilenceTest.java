package io.stoker.cli.kafka;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.Test;

class SilenceTest {
  private final AtomicLong bytes = new AtomicLong(7);
  private final AtomicLong nanos = new AtomicLong();
  private final Silence silence = new Silence(bytes::get, nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void whoComesBackInTimeWasNeverLost() {
    for (int second = 1; second < 200; second++) {
      pass(Duration.ofSeconds(1));
      bytes.addAndGet(second % 59 == 0 ? 1 : 0);
      assertThatCode(silence::look).doesNotThrowAnyException();
    }
  }

  @Test
  void whoStaysAwayIsLostAndItIsSaidForHowLong() {
    for (int second = 1; second < 60; second++) {
      pass(Duration.ofSeconds(1));
      silence.look();
    }
    pass(Duration.ofSeconds(1));

    assertThatThrownBy(silence::look)
        .isInstanceOf(LostConnection.class)
        .hasMessage("Kafka cannot be reached any more, for 60 s");
  }

  @Test
  void whoWasStoppedForLongHasNotListened() {
    pass(Duration.ofHours(1));

    assertThatCode(silence::look).doesNotThrowAnyException();
  }

  @Test
  void aTailThatReceivesNothingIsLost() {
    try (TopicTail tail = new TopicTail(new MockConsumer<>("latest"), silence)) {
      for (int i = 0; i < 5; i++) {
        pass(Silence.LONGEST_STEP);
        tail.poll(Duration.ZERO);
      }
      pass(Silence.LONGEST_STEP);

      assertThatThrownBy(() -> tail.poll(Duration.ZERO)).isInstanceOf(LostConnection.class);
    }
  }
}
