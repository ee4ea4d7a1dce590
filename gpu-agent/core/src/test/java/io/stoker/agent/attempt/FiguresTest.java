package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void countsAttemptsWhereTheyStandAndNamesWhoIsOnWhichDevice() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.free("0", "1");
    agent.tell(1, agent.gpuPlace("runs", 1, 4L << 30, true));
    agent.tell(1, agent.gpuPlace("launches", 1, 4L << 30, true));
    agent.tell(1, agent.place("ended", 1));
    agent.started("runs", 1);
    agent.started("ended", 1);

    Figures before = Figures.of(agent.state);
    agent.exited("ended", 1, 0);
    Figures after = Figures.of(agent.state);

    assertThat(before.attempts())
        .isEqualTo(Map.of("waiting", 0, "launching", 1, "running", 2, "ending", 0));
    assertThat(before.cpuSlotsTaken()).isEqualTo(1);
    assertThat(after.attempts().get("running")).isEqualTo(1);
    assertThat(after.reportsKept()).isEqualTo(1);
    assertThat(after.cpuSlotsTaken()).isZero();
    assertThat(after.epoch()).hasValue(1);
    assertThat(JobsOnDevices.of(agent.state))
        .as("what has no process yet is not there")
        .isEqualTo(Map.of("0", List.of("request")));
  }
}
