package io.stoker.agent.config;

import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/**
 * The configured device list as it is given. A mapping cannot tell a blank value, which offers no
 * device, from none at all, which offers all.
 */
public final class DeviceListSetting {
  private static final String KEY = "stoker.agent.devices";

  private DeviceListSetting() {}

  /** Blank if a blank list is configured; empty if none is. */
  public static Optional<String> of(Config config) {
    return Optional.ofNullable(config.getConfigValue(KEY).getValue());
  }
}
