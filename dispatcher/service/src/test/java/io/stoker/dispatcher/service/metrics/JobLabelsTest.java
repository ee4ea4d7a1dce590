package io.stoker.dispatcher.service.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.service.metrics.JobLabels.Pair;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobLabelsTest {
  private final JobLabels labels = new JobLabels();

  @Test
  void pairsBeyondTheBound_shareOne() {
    for (int i = 0; i < JobLabels.MOST; i++) {
      assertThat(labels.of("q" + i, Optional.of("train"))).isEqualTo(new Pair("q" + i, "train"));
    }

    assertThat(labels.of("one-more", Optional.of("train"))).isEqualTo(new Pair("other", "other"));
    assertThat(labels.of("q0", Optional.of("test"))).isEqualTo(new Pair("other", "other"));
    assertThat(labels.of("q0", Optional.of("train"))).isEqualTo(new Pair("q0", "train"));
  }

  @Test
  void aKindThatIsNotKnown_isEmpty() {
    assertThat(labels.of("q", Optional.empty())).isEqualTo(new Pair("q", ""));
  }
}
