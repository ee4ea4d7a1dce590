package io.stoker.agent.nvml;

import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.NvmlException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All processes that have memory on a device. Those that compute are what counts, and a list that
 * cannot be read is a failure. NVML tells those that draw, or that compute through MPS, apart; not
 * every driver does, and what it does not tell is left out.
 */
final class ProcessLists {
  private final ProcessListReader compute;
  private final List<ProcessListReader> others;

  ProcessLists(OptionalSymbols optional, Calls calls) {
    compute =
        new ProcessListReader(
            "nvmlDeviceGetComputeRunningProcesses_v3", optional.computeProcesses, calls);
    others =
        List.of(
            new ProcessListReader(
                "nvmlDeviceGetMPSComputeRunningProcesses_v3", optional.mpsProcesses, calls),
            new ProcessListReader(
                "nvmlDeviceGetGraphicsRunningProcesses_v3", optional.graphicsProcesses, calls));
  }

  /** Each process once; empty if those that compute cannot be listed here. */
  Optional<List<ComputeProcess>> read(long device, String uuid) {
    return compute.read(device, uuid).map(list -> withOthers(list, device, uuid));
  }

  private List<ComputeProcess> withOthers(List<ComputeProcess> list, long device, String uuid) {
    Map<Long, ComputeProcess> all = new LinkedHashMap<>();
    list.forEach(process -> all.put(process.pid(), process));
    for (ProcessListReader other : others) {
      try {
        other
            .read(device, uuid)
            .orElse(List.of())
            .forEach(process -> all.putIfAbsent(process.pid(), process));
      } catch (NvmlException e) {
        if (e.isGpuLost()) {
          throw e;
        }
      }
    }
    return all.size() == list.size() ? list : List.copyOf(all.values());
  }
}
