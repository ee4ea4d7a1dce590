package io.stoker.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FloorTest {
  private final Floor floor =
      new Floor(Floor.Part.of(100_000, 2, 3), Floor.Part.of(100_000, 2.5, 4), null);

  @Test
  void part_ofCountAndTimes_saysRateAndCpuOfEach() {
    assertThat(floor.kafka()).isEqualTo(new Floor.Part(100_000, 2, 50_000, 0.03));
    assertThat(floor.postgres()).isEqualTo(new Floor.Part(100_000, 2.5, 40_000, 0.04));
  }

  @Test
  void under_aWorkload_putsItsRateAndTheCpuOfAllProcessesBesideBoth() {
    Floor beside = floor.under(5_000, Map.of("dispatcher", 0.2, "agent", 0.1, "kafka", 0.05));

    assertThat(beside.ratio()).isEqualTo(new Floor.Ratio(0.1, 0.125, 5));
  }

  @Test
  void batches_areFullButTheLast_andEachIdIsInOne() {
    List<UUID[]> batches = PostgresFloor.batches(7, 1_001);

    assertThat(batches).extracting(batch -> batch.length).containsExactly(500, 500, 1);
    assertThat(batches.stream().flatMap(Arrays::stream)).hasSize(1_001).doesNotHaveDuplicates();
  }
}
