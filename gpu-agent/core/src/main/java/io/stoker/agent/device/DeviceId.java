package io.stoker.agent.device;

import java.util.regex.Pattern;

/** A device as a device list names it. {@link #text} is kept as given. */
public sealed interface DeviceId {
  Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");
  Pattern GPU_UUID = Pattern.compile("GPU-[0-9A-Fa-f-]{1,64}");
  // Drivers before 470 named a MIG device by its GPU and the two instances.
  Pattern MIG_UUID =
      Pattern.compile("MIG-(?:[0-9A-Fa-f-]{1,64}|GPU-[0-9A-Fa-f-]{1,64}/[0-9]+/[0-9]+)");

  /** As given, which is also what a job is told. */
  String text();

  /** A GPU by its index in the order of PCI addresses. */
  record Index(String text) implements DeviceId {
    int value() {
      return Integer.parseInt(text);
    }
  }

  /** A GPU by its UUID. */
  record Gpu(String text) implements DeviceId {}

  /** A MIG device by its UUID. */
  record Mig(String text) implements DeviceId {}

  /**
   * Reads one id.
   *
   * @throws DeviceException naming the text, if it is none
   */
  static DeviceId parse(String text) {
    if (INDEX.matcher(text).matches()) {
      return new Index(text);
    }
    if (GPU_UUID.matcher(text).matches()) {
      return new Gpu(text);
    }
    if (MIG_UUID.matcher(text).matches()) {
      return new Mig(text);
    }
    throw new DeviceException(
        "device list: '%s' is no device id; expected an index such as 0, GPU-<uuid> or MIG-<uuid>"
            .formatted(text));
  }
}
