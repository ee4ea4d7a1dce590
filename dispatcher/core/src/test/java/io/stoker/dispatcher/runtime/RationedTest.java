package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A read that takes long is made a tenth of the time; one that does not, always. */
class RationedTest {
  private long now = 1;
  private final Rationed read = new Rationed(() -> now);

  @Test
  void isDue_beforeAnyReadAndAfterAQuickOne_always() {
    assertThat(read.isDue()).isTrue();

    takes(Duration.ofMillis(5));

    assertThat(read.isDue()).isTrue();
  }

  @Test
  void isDue_afterASlowReadAmongQuickOnes_always() {
    takes(Duration.ofMillis(1));
    takes(Duration.ofSeconds(3));
    assertThat(read.isDue()).isTrue();

    takes(Duration.ofMillis(1));
    takes(Duration.ofSeconds(3));
    assertThat(read.isDue()).isTrue();
  }

  @Test
  void isDue_afterSlowReads_onceTenTimesAsLongAsTheQuickerHasPassed() {
    takes(Duration.ofMillis(40));
    takes(Duration.ofMillis(80));

    assertThat(isDueIn(Duration.ofMillis(399))).isFalse();
    assertThat(isDueIn(Duration.ofMillis(1))).isTrue();
  }

  @Test
  void isDue_afterVerySlowReads_within30SecondsAllTheSame() {
    takes(Duration.ofMinutes(5));
    takes(Duration.ofMinutes(5));

    assertThat(isDueIn(Duration.ofMillis(29_999))).isFalse();
    assertThat(isDueIn(Duration.ofMillis(1))).isTrue();
  }

  @Test
  void isDue_onceAReadIsQuickAgain_always() {
    takes(Duration.ofMillis(40));
    takes(Duration.ofMillis(40));
    takes(Duration.ofMillis(1));

    assertThat(read.isDue()).isTrue();
  }

  @Test
  void made_ofAReadThatFails_leavesWhatIsKnown() {
    read.made(() -> Uni.createFrom().failure(new IllegalStateException()))
        .subscribe()
        .with(x -> {}, error -> {});

    assertThat(read.isDue()).isTrue();
  }

  private boolean isDueIn(Duration time) {
    now += time.toNanos();
    return read.isDue();
  }

  private void takes(Duration time) {
    read.made(
            () -> {
              now += time.toNanos();
              return Uni.createFrom().item("read");
            })
        .await()
        .indefinitely();
  }
}
