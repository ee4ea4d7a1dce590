package io.stoker.agent.staged;

import io.stoker.agent.device.Device;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * In which order GPUs are tried for a training.
 *
 * @param by what comes first
 * @param reversed the other way round
 */
public record GpuPriority(By by, boolean reversed) {
  /** Ascending. */
  public static final GpuPriority DEFAULT = new GpuPriority(By.PCI, false);

  private static final String EXPECTED =
      "pci, memory, remaining or performance, with a - before it for the other way round";

  /** What comes first. */
  public enum By {
    /** As the host's device list has them. */
    PCI,
    /** The one with most memory. */
    MEMORY,
    /** The one with most memory left. */
    REMAINING,
    /** The one of the highest compute capability, of these the one with most memory. */
    PERFORMANCE
  }

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static GpuPriority parse(String text) {
    boolean reversed = text.startsWith("-");
    String name = reversed ? text.substring(1) : text;
    for (By by : By.values()) {
      if (by.name().toLowerCase(java.util.Locale.ROOT).equals(name)) {
        return new GpuPriority(by, reversed);
      }
    }
    throw new IllegalArgumentException(
        "stoker.agent.scheduler.gpu-priority is \"%s\"; expected %s".formatted(text, EXPECTED));
  }

  /**
   * The devices, the preferred first.
   *
   * @param left bytes that are left on one
   */
  public List<Device> order(List<Device> devices, ToLongFunction<Device> left) {
    List<Device> ordered = new ArrayList<>(devices);
    switch (by) {
      case PCI -> {}
      case MEMORY -> ordered.sort(Comparator.comparingLong(Device::memoryTotal).reversed());
      case REMAINING -> ordered.sort(Comparator.comparingLong(left).reversed());
      case PERFORMANCE ->
          ordered.sort(
              Comparator.comparingDouble((Device device) -> capability(device))
                  .thenComparingLong(Device::memoryTotal)
                  .reversed());
    }
    if (reversed) {
      Collections.reverse(ordered);
    }
    return ordered;
  }

  private static double capability(Device device) {
    Optional<String> known = device.computeCapability();
    try {
      return known.map(Double::parseDouble).orElse(0.0);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
