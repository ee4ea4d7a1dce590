package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.placement.FilterFailure;
import io.stoker.dispatcher.placement.HostAnswer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolWordsTest {
  private static PoolState state(String state, String reason, String kind) {
    return new PoolState(
        "iris", state, reason, 1, 3, 1, 1, 2, 9, 6, 0, 6, 0, null, null, null, kind, null);
  }

  private static String said(FilterFailure failure, String sentence, PoolState report) {
    HostAnswer answer = new HostAnswer("gpu-1", failure, sentence);
    return PoolWords.in(answer, "iris", Kinds.NONE, Optional.empty(), Optional.ofNullable(report))
        .sentence();
  }

  @Test
  void aFullPoolIsShownWithWhoDeclaresItAndHowItIs() {
    assertThat(
            said(
                FilterFailure.BUSY,
                "has no place left in pool iris",
                state("SERVING", null, "flower")))
        .isEqualTo(
            "has no place left in pool iris: declared by kind flower, SERVING, 1 workers, 1 of them"
                + " at work, 2 jobs wait");
    assertThat(said(FilterFailure.BUSY, "full", state("FAILED", "no python3", null)))
        .isEqualTo("full: FAILED (no python3), 1 workers, 1 of them at work, 2 jobs wait");
  }

  @Test
  void otherAnswersStayAsTheyAre() {
    assertThat(said(FilterFailure.NO_SUCH_POOL, "has no pool iris", null))
        .isEqualTo("has no pool iris");
    assertThat(said(FilterFailure.BUSY, "full", null)).isEqualTo("full");
    assertThat(said(FilterFailure.LABEL, "has not a=b", state("SERVING", null, "flower")))
        .isEqualTo("has not a=b");
  }
}
