package io.stoker.agent.device;

import java.util.Arrays;
import java.util.List;

/**
 * The devices that a host shall offer, in order.
 *
 * @param ids without repeats; empty = none
 */
public record DeviceList(List<DeviceId> ids) {
  public DeviceList {
    ids = List.copyOf(ids);
  }

  /**
   * Reads a list such as {@code 1, 0, MIG-…}: split on commas, trimmed, empty parts and repeats
   * dropped, the order kept. A blank list, or one of commas only, names no device.
   *
   * @throws DeviceException naming the part that is no device id
   */
  public static DeviceList parse(String text) {
    return new DeviceList(
        Arrays.stream(text.split(","))
            .map(String::strip)
            .filter(part -> !part.isEmpty())
            .distinct()
            .map(DeviceId::parse)
            .toList());
  }

  /** Whether it names no device. */
  public boolean isEmpty() {
    return ids.isEmpty();
  }

  /** The ids as given, with commas between them. */
  @Override
  public String toString() {
    return String.join(", ", ids.stream().map(DeviceId::text).toList());
  }
}
