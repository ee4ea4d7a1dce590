package io.stoker.common.size;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SlicesTest {
  @Test
  void nothingIsCutIntoNothing() {
    assertThat(Slices.of(List.<Integer>of(), n -> n, 10)).isEmpty();
    assertThat(Slices.first(List.<Integer>of(), n -> n, 10)).isEmpty();
  }

  @Test
  void whatFitsStaysTogether() {
    assertThat(Slices.of(List.of(4, 6), n -> n, 10)).containsExactly(List.of(4, 6));
    assertThat(Slices.of(List.of(4, 7), n -> n, 10)).containsExactly(List.of(4), List.of(7));
  }

  @Test
  void oneThatIsTooLargeIsASliceOfItsOwn() {
    assertThat(Slices.of(List.of(1, 11, 1, 9, 1), n -> n, 10))
        .containsExactly(List.of(1), List.of(11), List.of(1, 9), List.of(1));
  }
}
