package io.stoker.agent.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Set;

/** {@code stoker.agent.health.*}: when devices are given to nobody. */
public interface HealthConfig {
  /** Xids that leave a device healthy. */
  @WithDefault("13,31,43,45,68,109")
  Set<Long> ignoredXids();

  /** Without a fault, after which a device serves again. */
  @WithDefault("60s")
  @WithConverter(Held.Period.class)
  Duration recovery();

  /** Between two questions to a device. */
  @WithDefault("5s")
  @WithConverter(Held.Period.class)
  Duration probeEvery();

  /** How long a device may take to answer. */
  @WithDefault("5s")
  @WithConverter(Held.Period.class)
  Duration probeWithin();

  /** How long an ended attempt's memory may stay before its device is quarantined. */
  @WithDefault("30s")
  @WithConverter(Held.Period.class)
  Duration cleanWithin();
}
