package io.stoker.agent.gpu;

import java.util.Locale;

/**
 * The place of a GPU on the PCI bus.
 *
 * @param busId as NVML writes it, e.g. {@code 00000000:3B:00.0}
 */
public record PciAddress(int domain, int bus, int device, String busId) {

  /** The folder's name under {@code /sys/bus/pci/devices}, e.g. {@code 0000:3b:00.0}. */
  public String sysfsName() {
    return String.format(Locale.ROOT, "%04x:%02x:%02x.0", domain, bus, device);
  }
}
