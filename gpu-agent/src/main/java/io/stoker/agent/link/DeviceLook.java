package io.stoker.agent.link;

import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.MemoryReader;
import io.stoker.agent.nvml.ComputeProcess;
import io.stoker.agent.nvml.MemoryReading;
import io.stoker.agent.nvml.NvmlApi;
import io.stoker.agent.nvml.Utilization;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What NVML says of one device at one look: each question is asked once, whoever wants the answer.
 * The processes are asked for before the memory, see {@link MemoryReader}.
 */
record DeviceLook(
    Optional<List<ComputeProcess>> processes,
    MemoryReading memory,
    Optional<Utilization> utilization,
    OptionalInt temperature,
    OptionalLong power) {

  /**
   * Looks.
   *
   * @throws io.stoker.agent.nvml.NvmlException if the device does not answer
   */
  static DeviceLook at(NvmlApi nvml, String uuid) {
    return new DeviceLook(
        nvml.computeProcesses(uuid),
        nvml.memory(uuid),
        nvml.utilization(uuid),
        nvml.temperatureCelsius(uuid),
        nvml.powerMilliwatts(uuid));
  }

  DeviceReading reading(Map<Long, String> holderByPid) {
    return MemoryReader.of(processes.orElse(List.of()), memory, holderByPid);
  }

  DeviceTelemetry telemetry(String id) {
    return new DeviceTelemetry(
        id,
        memory.used(),
        utilization.map(Utilization::gpuPercent).orElse(null),
        temperature.isPresent() ? temperature.getAsInt() : null,
        power.isPresent() ? Math.toIntExact(power.getAsLong()) : null);
  }
}
