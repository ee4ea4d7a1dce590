package io.stoker.dispatcher.timer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockWatchTest {
  private static final long HOUR = 3_600_000;
  private static final long EPOCH = 1_800_000_000_000L;

  private ClockWatch watch = ClockWatch.START;

  /** On the replica's own clock, which says nothing about any other. */
  private long own = -7_000;

  private long wall = EPOCH;
  private long correction;
  private long before;

  private void passes(long ms) {
    own += ms;
    wall += ms;
  }

  private ClockWatch.Next look(boolean corrects) {
    ClockWatch.Next next = watch.saw(wall + correction, correction, before, own, own + 3, corrects);
    watch = next.watch();
    correction += next.by();
    return next;
  }

  private void looks(int times) {
    for (int n = 0; n < times; n++) {
      look(true);
      passes(1_000);
    }
  }

  private long clock() {
    return wall + correction;
  }

  @Test
  void aClockThatNobodySetsIsLeftAlone() {
    looks(1_000);
    assertThat(correction).isZero();
  }

  @Test
  void oneThatIsSetBackGoesOnAsItWas() {
    looks(10);
    long before = clock();
    wall -= HOUR;
    passes(1_000);

    assertThat(look(true).stepped()).isTrue();
    assertThat(clock()).isBetween(before + 1_000 - 5, before + 1_000 + 5);
  }

  @Test
  void oneThatIsSetForwardGoesOnAsItWas() {
    looks(10);
    long before = clock();
    wall += HOUR;
    passes(1_000);

    assertThat(look(true).stepped()).isTrue();
    assertThat(clock()).isBetween(before + 1_000 - 5, before + 1_000 + 5);
  }

  @Test
  void itComesBackToTheWallClockAndNeverJumps() {
    looks(10);
    wall -= HOUR;
    long before = clock() + HOUR;
    looks(1);
    for (int n = 0; correction != 0; n++) {
      assertThat(n).isLessThan(100_000);
      assertThat(look(true).stepped()).isFalse();
      assertThat(clock() - before).isBetween(-51L - 5, 1_051L);
      before = clock();
      passes(1_000);
    }
    assertThat(clock()).isEqualTo(wall);
    looks(100);
    assertThat(correction).isZero();
  }

  @Test
  void littleIsBorne() {
    looks(10);
    wall += ClockWatch.STEP_MS - 10;
    passes(1_000);
    assertThat(look(true).by()).isZero();
    wall += ClockWatch.STEP_MS - 10;
    passes(1_000);
    assertThat(look(true).by()).as("what was borne is believed").isZero();
  }

  @Test
  void aClockThatShowedNothingLikeTheTimeIsBelievedOnceItDoes() {
    wall = 5_000;
    looks(10);
    wall += EPOCH;
    passes(1_000);
    assertThat(look(true).by()).isZero();
    passes(1_000);
    assertThat(look(true).by()).isZero();
  }

  @Test
  void whoDoesNotScheduleNoticesAndCorrectsWhenItDoes() {
    look(false);
    passes(1_000);
    wall -= HOUR;
    assertThat(look(false).by()).isZero();
    passes(3_000);
    assertThat(look(true).by()).isBetween(HOUR - 5, HOUR + 5);
  }

  @Test
  void whoHasJustBegunKnowsThatItWasSetBackByWhatItHasShownAlready() {
    before = wall;
    wall -= HOUR;

    assertThat(look(true).by()).isBetween(HOUR - 5, HOUR + 5);
    assertThat(clock()).isBetween(before - 5, before + 5);
  }

  @Test
  void whoHasJustBegunAndDoesNotScheduleKeepsThatInMind() {
    before = wall;
    wall -= HOUR;
    assertThat(look(false).by()).isZero();
    passes(3_000);

    assertThat(look(true).by()).isBetween(HOUR - 5, HOUR + 5);
  }

  @Test
  void whatItShowedIsNoReasonToSetItForward() {
    before = wall - HOUR;
    looks(10);
    assertThat(correction).isZero();
  }

  @Test
  void whatItShowedDaysAheadIsNotBelieved() {
    before = wall + 100 * HOUR;
    looks(10);
    assertThat(correction).isZero();
  }

  @Test
  void whoDoesNotScheduleBelievesWhatNobodyCorrects() {
    look(false);
    wall -= HOUR;
    for (long waited = 0; waited <= ClockWatch.BELIEVED_AFTER_MS; waited += 1_000) {
      passes(1_000);
      look(false);
    }
    passes(1_000);
    assertThat(look(true).by()).isZero();
  }

  @Test
  void aSlowAnswerProvesNoStep() {
    looks(10);
    passes(20_000);
    ClockWatch.Next next = watch.saw(wall, 0, 0, own - 20_000, own, true);
    assertThat(next.by()).isZero();
    watch = next.watch();
    passes(1_000);
    assertThat(look(true).by()).isZero();
  }
}
