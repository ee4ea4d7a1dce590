package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Usage;
import org.junit.jupiter.api.Test;

class TookTest {
  @Test
  void saysWhatIsKnown() {
    Usage all =
        new Usage(61_000L, 48_250L, 2L << 30, 6_442_450_944L, 87, 61_000L, 21_000_500L, null);

    assertThat(Took.text(all))
        .isEqualTo(
            "61 s, CPU 48.3 s, memory 2 GiB, GPU 61 s, GPU memory 6 GiB, GPU busy 87 %, 21000.5 J");
    assertThat(Took.text(new Usage(3L, null, 1_023L, null))).isEqualTo("0 s, memory 1023 B");
    assertThat(Took.text(new Usage(null, null, null, null))).isEmpty();
    assertThat(Took.text(null)).isEmpty();
  }

  @Test
  void saysThatItWaitedWhereItDid() {
    assertThat(Took.text(waited(2_540L))).isEqualTo("0.2 s, waited on its host 2.5 s");
    assertThat(Took.text(waited(99L))).isEqualTo("0.2 s");
  }

  private static Usage waited(long ms) {
    return new Usage(200L, null, null, null, null, null, null, ms);
  }
}
