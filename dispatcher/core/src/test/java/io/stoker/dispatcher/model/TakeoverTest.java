package io.stoker.dispatcher.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Takeover.Claimed;
import org.junit.jupiter.api.Test;

class TakeoverTest {
  private static final long TERM = 3_000;
  private static final long HOUR = 3_600_000;

  @Test
  void whoHasJustStartedHasSeenNothingLapse() {
    assertThat(Takeover.START.started()).isTrue();
    assertThat(Takeover.START.lapsed(HOUR, TERM)).isEmpty();
    assertThat(Takeover.START.saw(new Claimed(1, 5), 0).started()).isFalse();
  }

  @Test
  void aClaimThatIsRenewedNeverLapsesWhereverTheDatabasesClockJumps() {
    Takeover watch = Takeover.START;
    long renewed = 10 * HOUR;
    for (long now = 0; now < 60_000; now += Takeover.LOOK_MS) {
      renewed += now % 7_000 == 0 ? -HOUR : now % 5_000 == 0 ? HOUR : Takeover.LOOK_MS;
      watch = watch.saw(new Claimed(4, renewed), now);

      assertThat(watch.lapsed(now, TERM)).isEmpty();
    }
  }

  @Test
  void aClaimThatIsNotRenewedLapsesAtTheThirdLookAfterItWasFirstSeen() {
    Claimed far = new Claimed(4, HOUR * 24 * 365 * 100);
    Takeover watch = Takeover.START.saw(far, 10_000);

    assertThat(watch.saw(far, 11_001).saw(far, 12_002).lapsed(12_002, TERM)).isEmpty();
    assertThat(watch.saw(far, 12_002).lapsed(13_003, TERM)).contains(far);
  }

  @Test
  void anEpochThatRisesIsARenewal() {
    Takeover watch = Takeover.START.saw(new Claimed(4, 7), 0).saw(new Claimed(5, 7), 2_400);

    assertThat(watch.lapsed(2_600, TERM)).isEmpty();
  }

  @Test
  void nothingLapsesWhileTheDatabaseIsNotSeen() {
    Claimed claim = new Claimed(4, 7);
    Takeover blind = Takeover.START.saw(claim, 0).saw(claim, 1_000).failed().failed();

    assertThat(blind.lapsed(60_000, TERM)).isEmpty();
    assertThat(blind.saw(claim, 60_000).lapsed(60_000, TERM))
        .as("its holder gets the time to renew it")
        .isEmpty();
    assertThat(blind.started()).isFalse();
  }

  @Test
  void aReplicaThatCouldNotLookYetHasStillJustStarted() {
    assertThat(Takeover.START.failed().started()).isTrue();
  }

  @Test
  void aShortTermIsNotCutToNothing() {
    Claimed claim = new Claimed(4, 7);

    assertThat(Takeover.START.saw(claim, 0).lapsed(249, 500)).isEmpty();
    assertThat(Takeover.START.saw(claim, 0).lapsed(250, 500)).contains(claim);
  }
}
