package io.stoker.agent.config;

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
    "stoker.agent.health.recovery, 0s",
    "stoker.agent.health.clean-within, -1s",
    "stoker.agent.secrets.hf.refresh, 0s",
    "stoker.agent.runners.ssh.connect-timeout, 0s",
    "stoker.agent.runners.aws.answer-timeout, 0s",
    "stoker.agent.runners.ssh.follow-limit, -1s",
    "stoker.agent.grace, -1s",
    "stoker.agent.restart-after, 50001d",
    "stoker.agent.metrics.port, 70000",
  })
  void whatCannotWork_isRefusedByItsKeyAndValue(String key, String value) {
    assertThatThrownBy(() -> config(Map.of(key, value)))
        .hasMessageContainingAll(key, "\"" + value + "\"", "expected");
  }

  @Test
  void zero_isTakenWhereItMeansSomething_andNothingWhereNothingIsNeeded() {
    AgentConfig config =
        config(Map.of("stoker.agent.grace", "0s", "stoker.agent.runners.ssh.follow-limit", ""));

    assertThat(config.grace()).isZero();
    assertThat(config.runners().ssh().followLimit()).isEmpty();
  }

  private static AgentConfig config(Map<String, String> given) {
    return new SmallRyeConfigBuilder()
        .addDiscoveredConverters()
        .withMapping(AgentConfig.class)
        .withSources(new PropertiesConfigSource(given, "test", 1))
        .build()
        .getConfigMapping(AgentConfig.class);
  }
}
