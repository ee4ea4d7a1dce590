package io.stoker.cli.topics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfiguredQueuesTest {
  @Test
  void everyQueueOfWhichSomethingIsSetIsNamedOnce() {
    assertThat(
            ConfiguredQueues.in(
                Map.of(
                    "STOKER_QUEUES_VISION_WEIGHT", "3",
                    "STOKER_QUEUES_VISION_MAX_RUNNING", "8",
                    "STOKER_QUEUES_NIGHT_OPEN", "true",
                    "STOKER_QUEUES_DEFAULT_MAX_QUEUED", "9",
                    "STOKER_QUEUES_ODD_COLOUR", "red",
                    "STOKER_HTTP_PORT", "1"),
                Map.of(
                    "stoker.queues.night.weight", "3",
                    "stoker.queues.Day-2.max-running", "3",
                    "stoker.queues.\"a.b\".open", "true",
                    "stoker.lease.duration", "6s")))
        .containsExactly("Day-2", "a.b", "default", "night", "vision");
  }
}
