package io.stoker.agent.config;

import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceList;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/**
 * The configured device list as it is given. A mapping cannot tell a blank value, which offers no
 * device, from none at all, which offers all.
 */
public final class DeviceListSetting {
  private static final String KEY = "stoker.agent.devices";

  private DeviceListSetting() {}

  /**
   * Blank if a blank list is configured; empty if none is.
   *
   * @throws IllegalArgumentException if a part of it is no device id, whatever devices there are
   */
  public static Optional<String> of(Config config) {
    Optional<String> list = Optional.ofNullable(config.getConfigValue(KEY).getValue());
    try {
      list.ifPresent(DeviceList::parse);
      return list;
    } catch (DeviceException e) {
      throw new IllegalArgumentException(KEY + ": " + e.getMessage(), e);
    }
  }
}
