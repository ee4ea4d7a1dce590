package io.stoker.agent.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskFloorTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // floor, what was said before, what is free, what is said
        "1000, -, 1000, -",
        "1000, -, 999, '999 B are free where its data is, and it takes jobs from 1000 B on'",
        "1000, 'as before', 500, 'as before'",
        "1000, 'as before', 1099, 'as before'",
        "1000, 'as before', 1100, -",
        "0, -, 0, -",
      })
  void takesNothingNewBelowTheFloorUntilThereIsATenthMore(
      long floor, String before, long free, String said) {
    assertThat(new DiskFloor(floor).judge(Optional.ofNullable(before), free))
        .isEqualTo(Optional.ofNullable(said));
  }
}
