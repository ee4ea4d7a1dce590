package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LeftOutTest {
  private long now = -5_000;
  private final LeftOut out = new LeftOut(() -> now);

  @Test
  void whatFailedIsLeftOutForASecondAndThenTriedAgain() {
    assertThat(out.failed("a")).isTrue();
    assertThat(out.jobs()).containsExactly("a");

    now += LeftOut.FIRST_PAUSE_MS;
    assertThat(out.jobs()).isEmpty();
  }

  @Test
  void eachTimeItIsLeftOutForTwiceAsLongUpToALimit() {
    for (long pause : List.of(1_000L, 2_000L, 4_000L, 8_000L, 15_000L, 15_000L)) {
      out.failed("a");
      now += pause - 1;
      assertThat(out.jobs()).as("after %d ms", pause - 1).containsExactly("a");
      now++;
      assertThat(out.jobs()).as("after %d ms", pause).isEmpty();
    }
  }

  @Test
  void failuresInItsPauseSayNothingNew() {
    out.failed("a");
    now += 500;
    assertThat(out.failed("a")).isFalse();

    now += 500;
    assertThat(out.jobs()).isEmpty();
    assertThat(out.failed("a")).isTrue();
  }

  @Test
  void whatWasWellForLongBeginsAnew() {
    out.failed("a");
    now += 1_000_000;
    out.failed("a");
    now += LeftOut.FIRST_PAUSE_MS;
    assertThat(out.jobs()).isEmpty();
  }

  @Test
  void whatItHasNoRoomForIsNotLeftOut() {
    for (int job = 0; job < LeftOut.MOST; job++) {
      assertThat(out.failed("job-" + job)).isTrue();
    }
    assertThat(out.failed("one more")).isFalse();
    assertThat(out.jobs()).hasSize(LeftOut.MOST);
  }
}
