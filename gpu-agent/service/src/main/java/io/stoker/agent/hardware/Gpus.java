package io.stoker.agent.hardware;

import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceType;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.gpu.MigDevice;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Maps each device to the GPU that it is, or is a part of: troubles are told of GPUs. */
final class Gpus {
  private Gpus() {}

  static Map<String, List<String>> of(Inventory inventory, NvmlApi nvml) {
    Map<String, List<String>> byGpu = new LinkedHashMap<>();
    boolean parts = false;
    for (Device device : inventory.devices()) {
      if (device.type() == DeviceType.GPU) {
        byGpu.put(device.uuid(), List.of(device.uuid()));
      } else {
        parts = true;
      }
    }
    if (parts) {
      parts(inventory, nvml, byGpu);
    }
    return Map.copyOf(byGpu);
  }

  private static void parts(Inventory inventory, NvmlApi nvml, Map<String, List<String>> byGpu) {
    for (int index = 0; index < nvml.count(); index++) {
      try {
        String gpu = nvml.uuid(index);
        List<String> offered = new ArrayList<>();
        for (MigDevice part : nvml.migDevices(gpu)) {
          if (inventory.devices().stream().anyMatch(one -> one.uuid().equals(part.uuid()))) {
            offered.add(part.uuid());
          }
        }
        if (!offered.isEmpty()) {
          byGpu.put(gpu, List.copyOf(offered));
        }
      } catch (NvmlException e) {
        // A GPU that cannot be asked is a fault of the inventory already.
      }
    }
  }
}
