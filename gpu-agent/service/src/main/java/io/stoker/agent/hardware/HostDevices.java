package io.stoker.agent.hardware;

import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceList;
import io.stoker.agent.device.DeviceMask;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.device.InventoryReader;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlStart;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * This host's devices, asked through NVML where there is one. A driver may appear later, and other
 * devices may be asked for: looking again finds them.
 */
public final class HostDevices implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(HostDevices.class);

  private static final String NO_DEVICE = "The device list of this host names no device";

  private final Supplier<NvmlStart> driver;
  private Optional<String> configured;
  private final int cpuSlots;
  private final ToldDevices told;
  private Optional<String> list;
  private volatile Optional<NvmlApi> nvml = Optional.empty();
  private volatile Inventory inventory;
  private volatile Map<String, List<String>> byGpu = Map.of();

  /** Whether the driver is left alone until other devices are asked for. */
  private boolean released;

  private HostDevices(
      Supplier<NvmlStart> driver, Optional<String> configured, int cpuSlots, ToldDevices told) {
    this.driver = driver;
    this.configured = configured;
    this.cpuSlots = cpuSlots;
    this.told = told;
  }

  /**
   * Finds out what there is.
   *
   * @param configured the configured device list, empty for all
   * @param mask what counts in its place if there is none, see {@link DeviceMask}; blank for none
   * @param told the list that an earlier start was told; it goes before both as long as it can be
   *     used
   * @throws DeviceException if the configured list cannot be used
   */
  public static HostDevices open(
      String library,
      Optional<String> configured,
      Optional<String> mask,
      int cpuSlots,
      ToldDevices told)
      throws IOException {
    return open(() -> Nvml.open(library), configured, mask, cpuSlots, told);
  }

  /**
   * The same of any driver.
   *
   * @param driver opens it, or says why it cannot be opened; each time that it is looked for
   */
  static HostDevices open(
      Supplier<NvmlStart> driver,
      Optional<String> configured,
      Optional<String> mask,
      int cpuSlots,
      ToldDevices told)
      throws IOException {
    HostDevices devices = new HostDevices(driver, configured.or(() -> mask), cpuSlots, told);
    devices.list = told.read();
    if (devices.list.isPresent() && devices.begins("the devices that this host was told")) {
      return devices;
    }
    devices.list = Optional.empty();
    if (configured.isPresent() || mask.isEmpty()) {
      devices.inventory = devices.find(Optional.empty());
    } else if (!devices.begins("the devices of " + DeviceMask.VARIABLE)) {
      devices.configured = Optional.of("");
      devices.inventory = devices.find(Optional.empty());
    }
    return devices;
  }

  /** Whether its list can be used, which others have chosen; else the log says why not. */
  private boolean begins(String whose) {
    try {
      inventory = find(list);
      return true;
    } catch (DeviceException e) {
      LOG.errorf("%s cannot be used: %s", whose, e.getMessage());
      return false;
    }
  }

  /** The list that was told and is in force, if any. */
  public Optional<String> toldList() {
    return list;
  }

  public Inventory inventory() {
    return inventory;
  }

  /**
   * Offers the devices of another list from now on, and keeps it.
   *
   * @param other empty = the configured one
   * @throws DeviceException if it names what is not there; nothing changes then
   */
  Inventory offer(Optional<String> other) throws IOException {
    Inventory found = released && none(other) ? inventory : find(other);
    told.write(other);
    list = other;
    inventory = found;
    released = released && none(other);
    return found;
  }

  /** Whether NVML is open although no device is offered: people may want the GPUs to themselves. */
  boolean releasable() {
    return nvml.isPresent() && none(list);
  }

  private boolean none(Optional<String> told) {
    return told.or(() -> configured).map(DeviceList::parse).map(DeviceList::isEmpty).orElse(false);
  }

  /**
   * Lets go of the driver, so that a GPU can be reset or cut anew; to be done only while nobody
   * holds a device. {@link #offer} of other devices opens it again.
   */
  Inventory release() {
    released = true;
    byGpu = Map.of();
    nvml.ifPresent(NvmlApi::close);
    nvml = Optional.empty();
    inventory = inventory.without(NO_DEVICE + ": the driver is released");
    LOG.info("NVML is released: GPUs may be reset until devices are offered again");
    return inventory;
  }

  /**
   * Looks again at what there is. What cannot be asked now stays as it was.
   *
   * @return whether anything has changed
   */
  boolean lookAgain() {
    if (released) {
      return false;
    }
    Inventory before = inventory;
    try {
      inventory = find(list);
    } catch (DeviceException | NvmlException e) {
      LOG.debugf("the devices stay as they were: %s", e.getMessage());
    }
    return !inventory.equals(before);
  }

  private Inventory find(Optional<String> told) {
    InventoryReader reader =
        new InventoryReader(told.or(() -> configured).map(DeviceList::parse), cpuSlots);
    if (nvml.isPresent()) {
      return read(reader, nvml.get());
    }
    return switch (driver.get()) {
      case NvmlStart.Ready ready -> {
        nvml = Optional.of(ready.api());
        yield read(reader, ready.api());
      }
      case NvmlStart.NoGpu none -> reader.withoutGpu(none.reason());
      case NvmlStart.Failed failed -> {
        // GPUs may be there: the host says why it offers none, rather than that it has none.
        LOG.error("NVML does not work, no GPU is offered: " + failed.reason());
        yield Inventory.withoutGpu("NVML fails: " + failed.reason(), cpuSlots);
      }
    };
  }

  private Inventory read(InventoryReader reader, NvmlApi api) {
    Inventory found = reader.read(api);
    byGpu = Gpus.of(found, api);
    return found;
  }

  /** UUIDs of the offered devices by the GPU that each is, or is a part of. */
  Map<String, List<String>> byGpu() {
    return byGpu;
  }

  Optional<NvmlApi> nvml() {
    return nvml;
  }

  /** The UUID of a device by any id that a list may give it. */
  String uuid(String id) {
    return inventory.has(id)
        ? inventory.device(id).uuid()
        : inventory.present().getOrDefault(id, id);
  }

  @Override
  public void close() {
    nvml.ifPresent(NvmlApi::close);
  }
}
