package io.stoker.dispatcher.service.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GuessesTest {
  private final Guesses guesses = new Guesses();
  private long now = 7;

  @Test
  void blocked_afterTooManyWrongOnes_untilTheWindowIsOver() {
    for (int i = 1; i < Guesses.MOST; i++) {
      guesses.wrong("a", now);
    }
    assertThat(guesses.blocked("a", "h", now)).isZero();
    guesses.wrong("a", now);
    assertThat(guesses.blocked("a", "h", now)).isEqualTo(Guesses.WINDOW);
    assertThat(guesses.blocked("b", "h", now)).isZero();
    now += Duration.ofSeconds(59).toNanos();
    assertThat(guesses.blocked("a", "h", now)).isEqualTo(Duration.ofSeconds(1));
    now += Duration.ofSeconds(2).toNanos();
    assertThat(guesses.blocked("a", "h", now)).isZero();
    guesses.wrong("a", now);
    assertThat(guesses.blocked("a", "h", now)).isZero();
  }

  @Test
  void blocked_aTokenThatWasRightFromThere_isStillLookedAt() {
    guesses.right("a", "good");
    for (int i = 0; i < Guesses.MOST; i++) {
      guesses.wrong("a", now);
    }
    assertThat(guesses.blocked("a", "good", now)).isZero();
    assertThat(guesses.blocked("a", "other", now)).isPositive();
  }
}
