package io.stoker.agent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobShareTest {

  @ParameterizedTest
  @CsvSource({
    // part, bytes of the disk, free, held by run folders; what one job may have; can that be more
    "0.5, 1000, 1000, 0, 500, false",
    "0.5, 1000, 500, 500, 500, false",
    "0.5, 1000, 499, 501, 500, true",
    "0.5, 1000, 0, 1000, 500, true",
    // most of the disk is somebody else's
    "0.5, 1000, 100, 300, 200, true",
    "0.25, 1000, 700, 100, 200, true",
    "0.9, 1000, 500, 500, 900, false",
    "1, 1000, 0, 1000, 1000, false",
    // somebody else fills it, and what jobs have is next to nothing
    "0.5, 1000, 0, 4, 10, true",
    "0.5, 1000, 2, 2, 10, true",
  })
  void isAPartOfWhatThereIsForJobs(
      double part, long total, long free, long held, long most, boolean looked) {
    JobShare share = new JobShare(part);
    assertThat(share.of(total, free, held)).isEqualTo(most);
    assertThat(share.canBeExceeded(total, free)).isEqualTo(looked);
  }

  @Test
  void noRunIsEndedThatWasNotLookedAt() {
    for (double part : new double[] {0.1, 0.3, 0.5, 0.9}) {
      JobShare share = new JobShare(part);
      for (long free = 0; free <= 1_000; free += 7) {
        long used = 1_000 - free;
        for (long run = 0; run <= used; run += 13) {
          if (run > share.of(1_000, free, run)) {
            assertThat(share.canBeExceeded(1_000, free)).as("%s %d %d", part, free, run).isTrue();
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.1, 1.1, Double.NaN})
  void anythingElseIsRefused(double part) {
    assertThatThrownBy(() -> new JobShare(part)).isInstanceOf(IllegalArgumentException.class);
  }
}
