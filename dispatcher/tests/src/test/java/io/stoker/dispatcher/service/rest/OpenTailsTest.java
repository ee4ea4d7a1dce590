package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.dispatcher.service.config.StokerConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpenTailsTest {
  @Test
  void aNumberByWhichNobodyCouldReadAny_isRefusedByItsKey() {
    StokerConfig config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(StokerConfig.class)
            .withSources(
                new PropertiesConfigSource(Map.of("stoker.http.open-logs", "0"), "test", 1))
            .build()
            .getConfigMapping(StokerConfig.class);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> new OpenTails(config))
        .withMessage("stoker.http.open-logs is 0, expected 1 or more");
  }
}
