package io.stoker.dispatcher.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Test;

class EventLoopsDefaultTest {
  @Test
  void oneLoopForTwoProcessors() {
    assertThat(EventLoopsDefault.loops(1)).isEqualTo(1);
    assertThat(EventLoopsDefault.loops(2)).isEqualTo(1);
    assertThat(EventLoopsDefault.loops(16)).isEqualTo(8);
  }

  @Test
  void itIsFoundAndGivesWayToWhatPeopleSay() {
    assertThat(ServiceLoader.load(ConfigSource.class))
        .filteredOn(EventLoopsDefault.class::isInstance)
        .singleElement()
        .satisfies(
            source -> {
              assertThat(source.getValue("quarkus.vertx.event-loops-pool-size")).isNotNull();
              assertThat(source.getOrdinal()).isLessThan(ConfigSource.DEFAULT_ORDINAL);
            });
  }
}
