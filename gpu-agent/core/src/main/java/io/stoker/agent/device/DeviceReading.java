package io.stoker.agent.device;

import java.util.Map;

/**
 * A device's memory as measured at one moment.
 *
 * @param free bytes
 * @param usedByHolder bytes in use by the processes of each holder; who is not named uses none yet
 */
public record DeviceReading(long free, Map<String, Long> usedByHolder) {
  public DeviceReading {
    usedByHolder = Map.copyOf(usedByHolder);
  }

  long usedBy(String holder) {
    return usedByHolder.getOrDefault(holder, 0L);
  }
}
