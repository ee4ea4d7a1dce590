package io.stoker.agent.device;

/** Something was said of a device that is not so. The message names the device, or the holder. */
public final class DeviceException extends RuntimeException {
  public DeviceException(String message) {
    super(message);
  }
}
