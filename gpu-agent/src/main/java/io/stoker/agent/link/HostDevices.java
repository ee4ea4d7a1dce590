package io.stoker.agent.link;

import io.stoker.agent.device.DeviceList;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.device.InventoryReader;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlApi;
import io.stoker.agent.nvml.NvmlException;
import io.stoker.agent.nvml.NvmlStart;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/** This host's devices, asked through NVML where there is one. */
final class HostDevices implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(HostDevices.class);

  private final Optional<NvmlApi> nvml;
  private final Inventory inventory;

  private HostDevices(Optional<NvmlApi> nvml, Inventory inventory) {
    this.nvml = nvml;
    this.inventory = inventory;
  }

  /**
   * Finds out what there is.
   *
   * @param list the configured device list, empty or blank for all
   */
  static HostDevices open(String library, Optional<String> list, int cpuSlots) {
    Optional<DeviceList> wanted = list.filter(text -> !text.isBlank()).map(DeviceList::parse);
    InventoryReader reader = new InventoryReader(wanted, cpuSlots);
    return switch (Nvml.open(library)) {
      case NvmlStart.Ready ready ->
          new HostDevices(Optional.of(ready.api()), reader.read(ready.api()));
      case NvmlStart.NoGpu none ->
          new HostDevices(Optional.empty(), reader.withoutGpu(none.reason()));
      case NvmlStart.Failed failed -> {
        // GPUs may be there: the host says why it offers none, rather than that it has none.
        LOG.error("NVML does not work, no GPU is offered: " + failed.reason());
        yield new HostDevices(
            Optional.empty(), Inventory.withoutGpu("NVML fails: " + failed.reason(), cpuSlots));
      }
    };
  }

  Inventory inventory() {
    return inventory;
  }

  HostResources resources(Map<String, String> labels) {
    List<DeviceInfo> devices =
        inventory.devices().stream()
            .map(
                device ->
                    new DeviceInfo(
                        device.id(),
                        device.uuid(),
                        device.name(),
                        device.memoryTotal(),
                        device.computeCapability().orElse(null)))
            .toList();
    String state =
        inventory
            .noGpu()
            .or(() -> inventory.versions().map(versions -> "driver " + versions.driver()))
            .orElse(null);
    return new HostResources(devices, inventory.cpuSlots(), Map.copyOf(labels), state);
  }

  /** One entry a device; what cannot be measured is left out. */
  List<DeviceTelemetry> telemetry() {
    return nvml.map(
            api ->
                inventory.devices().stream()
                    .map(device -> measure(api, device.id(), device.uuid()))
                    .toList())
        .orElse(List.of());
  }

  private static DeviceTelemetry measure(NvmlApi api, String id, String uuid) {
    try {
      return new DeviceTelemetry(
          id,
          api.memory(uuid).used(),
          api.utilization(uuid).map(use -> use.gpuPercent()).orElse(null),
          boxed(api.temperatureCelsius(uuid)),
          boxed(api.powerMilliwatts(uuid)));
    } catch (NvmlException e) {
      LOG.debugf("device %s cannot be measured: %s", id, e.getMessage());
      return new DeviceTelemetry(id, null, null, null, null);
    }
  }

  private static Integer boxed(java.util.OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  private static Integer boxed(java.util.OptionalLong value) {
    return value.isPresent() ? Math.toIntExact(value.getAsLong()) : null;
  }

  Optional<NvmlApi> nvml() {
    return nvml;
  }

  /** The UUID of a device of the inventory. */
  String uuid(String id) {
    return inventory.device(id).uuid();
  }

  @Override
  public void close() {
    nvml.ifPresent(NvmlApi::close);
  }
}
