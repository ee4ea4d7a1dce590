package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.Resources;
import io.stoker.common.request.Resources.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DemandTest {

  @Test
  void aRequestWithoutGpusAsksForSlots() {
    assertThat(Demand.of(Resources.oneSlot())).isEqualTo(Demand.cpus(1));
  }

  @Test
  void aRequestForGpusKeepsEveryCondition() {
    Resources resources =
        new Resources(
            "gpu",
            1,
            Optional.of(6L << 30),
            Sharing.SHARED,
            0,
            Optional.empty(),
            Optional.of("1"),
            false,
            false,
            Map.of(),
            Map.of(),
            List.of(),
            1);

    assertThat(Demand.of(resources))
        .isEqualTo(new Demand.Gpu(1, OptionalLong.of(6L << 30), true, Optional.of("1"), false));
  }
}
