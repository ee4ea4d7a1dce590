package io.stoker.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Test;

class DeviceListSettingTest {
  @Test
  void aBlankList_isAListOfNothing() {
    assertThat(of(properties("stoker.agent.devices", ""))).contains("");
    assertThat(of(new EnvConfigSource(Map.of("STOKER_AGENT_DEVICES", ""), 300))).contains("");
  }

  @Test
  void noList_isNone() {
    assertThat(of(properties("stoker.agent.policy.name", "auto"))).isEmpty();
  }

  @Test
  void aListIsTakenAsItIs() {
    assertThat(of(properties("stoker.agent.devices", "2, 0"))).contains("2, 0");
  }

  @Test
  void aListThatNamesNoDevice_isAMistakeThatNamesTheKey() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(properties("stoker.agent.devices", "0, bogus")))
        .withMessageStartingWith("stoker.agent.devices: device list: 'bogus' is no device id");
  }

  private static ConfigSource properties(String key, String value) {
    return new PropertiesConfigSource(Map.of(key, value), "test", 300);
  }

  private static Optional<String> of(ConfigSource source) {
    return DeviceListSetting.of(
        new SmallRyeConfigBuilder().addDefaultInterceptors().withSources(source).build());
  }
}
