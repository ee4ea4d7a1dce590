package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.placement.Obstacle;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolWordsTest {
  private static PoolState state(String state, String reason, String kind) {
    return new PoolState(
        "iris", state, reason, 1, 3, 1, 1, 2, 9, 6, 0, 6, 0, null, null, null, kind, null);
  }

  private static String said(Obstacle obstacle, String sentence, PoolState report) {
    HostAnswer answer = new HostAnswer("gpu-1", obstacle, sentence);
    return PoolWords.in(answer, "iris", Kinds.NONE, Optional.empty(), Optional.ofNullable(report))
        .sentence();
  }

  @Test
  void aFullPoolIsShownWithWhoDeclaresItAndHowItIs() {
    assertThat(
            said(Obstacle.BUSY, "has no place left in pool iris", state("SERVING", null, "flower")))
        .isEqualTo(
            "has no place left in pool iris: declared by kind flower, SERVING, 1 workers, 1 of them"
                + " at work, 2 jobs wait");
    assertThat(said(Obstacle.BUSY, "full", state("FAILED", "no python3", null)))
        .isEqualTo("full: FAILED (no python3), 1 workers, 1 of them at work, 2 jobs wait");
  }

  @Test
  void otherAnswersStayAsTheyAre() {
    assertThat(said(Obstacle.NO_SUCH_POOL, "has no pool iris", null)).isEqualTo("has no pool iris");
    assertThat(said(Obstacle.BUSY, "full", null)).isEqualTo("full");
    assertThat(said(Obstacle.LABEL, "has not a=b", state("SERVING", null, "flower")))
        .isEqualTo("has not a=b");
  }
}
