package io.stoker.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.ProcessLoad;
import io.stoker.agent.nvml.Layouts.ProcessSample;
import io.stoker.agent.nvml.Signatures.DeviceSamplesOut;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the samples of processes' load, whose number the driver tells when it is asked for none.
 */
final class ProcessLoadReader {

  private static final String FUNCTION = "nvmlDeviceGetProcessUtilization";
  private static final int MAX_ROUNDS = 16;

  private final DeviceSamplesOut samples;
  private final Calls calls;

  ProcessLoadReader(DeviceSamplesOut samples, Calls calls) {
    this.samples = samples;
    this.calls = calls;
  }

  Optional<List<ProcessLoad>> read(long device, String uuid, long sinceMicros) {
    int slots = 0;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      // One slot is allocated even for none: there is no memory of size 0.
      try (Memory count = new Memory(Integer.BYTES);
          Memory out = new Memory((long) Math.max(1, slots) * ProcessSample.SIZE)) {
        count.setInt(0, slots);
        out.clear();
        long address = slots == 0 ? 0 : Pointer.nativeValue(out);
        int code = samples.call(device, address, Pointer.nativeValue(count), sinceMicros);
        int found = count.getInt(0);
        if (code == NvmlCodes.NOT_FOUND) {
          return Optional.of(List.of());
        }
        if (code == NvmlCodes.INSUFFICIENT_SIZE) {
          slots = Math.max(found, slots + 1);
        } else if (calls.isPresent(code, FUNCTION, uuid)) {
          return Optional.of(decode(out, Math.min(found, slots)));
        } else {
          return Optional.empty();
        }
      }
    }
    throw calls.failure(NvmlCodes.INSUFFICIENT_SIZE, FUNCTION, uuid);
  }

  /** Slots that the driver leaves out have no process. */
  private static List<ProcessLoad> decode(Pointer out, int entries) {
    List<ProcessLoad> loads = new ArrayList<>(entries);
    for (int i = 0; i < entries; i++) {
      long at = (long) i * ProcessSample.SIZE;
      long pid = Integer.toUnsignedLong(out.getInt(at + ProcessSample.PID));
      if (pid != 0) {
        loads.add(
            new ProcessLoad(
                pid,
                out.getLong(at + ProcessSample.TIMESTAMP),
                out.getInt(at + ProcessSample.SM),
                out.getInt(at + ProcessSample.MEMORY)));
      }
    }
    return List.copyOf(loads);
  }
}
