package io.stoker.agent.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which devices the agent itself was given, as a batch system or a container gives them to any
 * program that uses CUDA: it must give its jobs no others.
 */
public final class DeviceMask {
  public static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

  private DeviceMask() {}

  /**
   * The device list that it amounts to, blank for none; empty without a mask. As CUDA reads it, it
   * ends before the first part that is no device, such as -1.
   */
  public static Optional<String> list(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(VARIABLE)).map(DeviceMask::beginning);
  }

  private static String beginning(String mask) {
    List<String> devices = new ArrayList<>();
    for (String part : mask.split(",")) {
      String device = part.strip();
      try {
        DeviceId.parse(device);
      } catch (DeviceException e) {
        break;
      }
      devices.add(device);
    }
    return String.join(",", devices);
  }
}
