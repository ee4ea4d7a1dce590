package io.stoker.agent.device;

import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.MemoryReading;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures a device's memory, and whose it is. */
public final class MemoryReader {
  private MemoryReader() {}

  /**
   * What was read of a device, the processes before the memory: what a job allocates between the
   * two then counts as promised and as taken, which errs on the safe side. So does a process whose
   * memory or pid the driver does not tell.
   *
   * @param holderByPid whose each process is; others belong to nobody here
   */
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
