package io.stoker.agent.hardware;

import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.MemoryReader;
import io.stoker.agent.gpu.DeviceLoad;
import io.stoker.agent.gpu.Utilization;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.util.List;
import java.util.Map;

/** One look at a device, shared by all who want to know: each question was asked once. */
record DeviceLook(DeviceLoad load) {
  DeviceReading reading(Map<Long, String> holderByPid) {
    return MemoryReader.of(load.processes().orElse(List.of()), load.memory(), holderByPid);
  }

  DeviceTelemetry telemetry(String id) {
    return new DeviceTelemetry(
        id,
        load.memory().used(),
        load.utilization().map(Utilization::gpuPercent).orElse(null),
        load.temperature().isPresent() ? load.temperature().getAsInt() : null,
        load.power().isPresent() ? Math.toIntExact(load.power().getAsLong()) : null);
  }
}
