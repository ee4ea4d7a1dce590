package io.stoker.agent.device;

import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.NvmlApi;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures a device's memory, and whose it is. */
public final class MemoryReader {

  private final NvmlApi nvml;

  public MemoryReader(NvmlApi nvml) {
    this.nvml = nvml;
  }

  /**
   * Reads a device.
   *
   * <p>The processes are read before the memory: what a job allocates between the two then counts
   * as promised and as taken, which errs on the safe side. So does a process whose memory or pid
   * the driver does not tell.
   *
   * @param holderByPid whose each process is; others belong to nobody here
   */
  public DeviceReading read(Device device, Map<Long, String> holderByPid) {
    List<ComputeProcess> processes = nvml.computeProcesses(device.uuid()).orElse(List.of());
    return of(processes, nvml.memory(device.uuid()), holderByPid);
  }

  /** The same of what was read in this order: the processes, then the memory. */
  public static DeviceReading of(
      List<ComputeProcess> processes, MemoryReading memory, Map<Long, String> holderByPid) {
    Map<String, Long> used = new HashMap<>();
    for (ComputeProcess process : processes) {
      String holder = holderByPid.get(process.pid());
      if (holder != null) {
        process.usedMemory().ifPresent(bytes -> used.merge(holder, bytes, Long::sum));
      }
    }
    return new DeviceReading(memory.free(), used);
  }
}
