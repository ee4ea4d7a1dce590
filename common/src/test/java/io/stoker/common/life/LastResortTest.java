package io.stoker.common.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastResortTest {
  private static final List<String> HANGS = List.of("sweep has run for 40 s");
  private final LastResort last = new LastResort(Duration.ofMinutes(5));

  @Test
  void whoHangsForLongAlthoughAllOthersAnswerGivesUp() {
    assertThat(last.look(HANGS, () -> true, 0)).isEmpty();
    assertThat(last.look(HANGS, () -> true, 299_999)).isEmpty();
    assertThat(last.look(HANGS, () -> true, 300_000))
        .hasValueSatisfying(
            why -> assertThat(why).contains("sweep has run for 40 s").contains("300 s"));
  }

  @Test
  void anOutageStartsTheWaitAnew() {
    last.look(HANGS, () -> true, 0);
    assertThat(last.look(HANGS, () -> false, 299_000)).isEmpty();
    assertThat(last.look(HANGS, () -> true, 300_000)).isEmpty();
    assertThat(last.look(HANGS, () -> true, 599_999)).isEmpty();
    assertThat(last.look(HANGS, () -> true, 600_000)).isPresent();
  }

  @Test
  void whoWorksAgainGoesOn() {
    last.look(HANGS, () -> true, 0);
    last.look(List.of(), () -> true, 200_000);
    assertThat(last.look(HANGS, () -> true, 301_000)).isEmpty();
  }

  @Test
  void othersAreAskedOnlyWhereSomethingIsWrong() {
    assertThat(
            last.look(
                List.of(),
                () -> {
                  throw new AssertionError("asked in vain");
                },
                0))
        .isEmpty();
  }
}
