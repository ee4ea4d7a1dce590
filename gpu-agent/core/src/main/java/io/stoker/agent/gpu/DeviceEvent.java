package io.stoker.agent.gpu;

import java.util.Optional;

/**
 * Something happened to a device.
 *
 * @param uuid the device; empty if NVML does not tell, so that it may be any
 * @param data the number of the Xid, if it is one
 */
public record DeviceEvent(Optional<String> uuid, Kind kind, long data) {
  /** What NVML tells of. */
  public enum Kind {
    /** The driver's report of an error; {@link DeviceEvent#data} says which. */
    XID,
    /** Memory had an error that could not be corrected. */
    DOUBLE_BIT_ECC,
    OTHER
  }
}
