package io.stoker.agent.device;

import java.util.List;
import java.util.OptionalLong;

/**
 * The devices and slots that a holder has been given.
 *
 * @param holder who holds it, e.g. an attempt of a job
 * @param devices ids, in the order of the inventory; none for a job on CPU slots
 * @param exclusive whether the devices are the holder's alone
 * @param memory bytes promised on each device, if any were asked for
 * @param cpuSlots CPU slots taken
 */
public record Allocation(
    String holder, List<String> devices, boolean exclusive, OptionalLong memory, int cpuSlots) {
  public Allocation {
    devices = List.copyOf(devices);
  }

  static Allocation ofSlots(String holder, int slots) {
    return new Allocation(holder, List.of(), false, OptionalLong.empty(), slots);
  }

  /** The value of {@code CUDA_VISIBLE_DEVICES}: empty for a job on CPU slots, never unset. */
  public String cudaVisibleDevices() {
    return String.join(",", devices);
  }
}
