package io.stoker.dispatcher.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that cannot work are refused where they are read, whoever needs them. */
class HeldTest {
  @ParameterizedTest
  @CsvSource({
    "stoker.fair-share.half-life, 0s",
    "stoker.fair-share.half-life, -1h",
    "stoker.run-deadline, 0",
    "stoker.restart-after, 0s",
    "stoker.http.stalled-logs, 0s",
    "stoker.memory.remember, -1s",
    "stoker.preemption.min-run-time, -1s",
    "stoker.suspect.window, 0s",
    "stoker.suspect.hold, -1s",
    "stoker.postgres.read-timeout, 0",
    "stoker.mail.min-interval, -1s",
    "stoker.queues.night.fail-unsatisfiable, -1s",
    "stoker.retention.requests, 50001d",
    "stoker.retention.every, 999999999999999999s",
    "stoker.http.port, 70000",
    "stoker.http.management-port, 65536",
  })
  void whatCannotWork_isRefusedByItsKeyAndValue(String key, String value) {
    assertThatThrownBy(() -> config(Map.of(key, value)))
        .hasMessageContainingAll(key, "\"" + value + "\"", "expected");
  }

  @Test
  void zero_isTakenWhereItMeansSomething_andNothingWhereNothingIsNeeded() {
    StokerConfig config =
        config(
            Map.of(
                "stoker.preemption.min-run-time", "0s",
                "stoker.queues.night.fail-unsatisfiable", ""));

    assertThat(config.preemption().minRunTime()).isZero();
    assertThat(config.queues().get("night").failUnsatisfiable()).isEmpty();
  }

  private static StokerConfig config(Map<String, String> given) {
    return new SmallRyeConfigBuilder()
        .addDiscoveredConverters()
        .withMapping(StokerConfig.class)
        .withSources(new PropertiesConfigSource(given, "test", 1))
        .build()
        .getConfigMapping(StokerConfig.class);
  }
}
