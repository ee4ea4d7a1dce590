package io.stoker.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.nvml.Layouts.ProcessInfo;
import io.stoker.agent.nvml.Signatures.DeviceTwoOut;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads the processes on a device, which may grow in number between the question and the answer.
 */
record ProcessListReader(String function, DeviceTwoOut list, Calls calls) {
  private static final int FIRST_SLOTS = 5;
  private static final int MAX_ROUNDS = 16;
  private static final long UNKNOWN_MEMORY = -1L;
  private static final int NO_INSTANCE = -1;

  Optional<List<ComputeProcess>> read(long device, String uuid) {
    int slots = FIRST_SLOTS;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      try (Memory count = new Memory(Integer.BYTES);
          Memory infos = new Memory((long) slots * ProcessInfo.LONGEST)) {
        count.setInt(0, slots);
        infos.setMemory(0, infos.size(), StrideInference.FILL);
        int code = list.call(device, Pointer.nativeValue(count), Pointer.nativeValue(infos));
        if (code == NvmlCodes.INSUFFICIENT_SIZE) {
          slots = Math.max(2 * count.getInt(0), slots) + FIRST_SLOTS;
        } else if (calls.isPresent(code, function, uuid)) {
          return Optional.of(decode(infos, count.getInt(0)));
        } else {
          return Optional.empty();
        }
      }
    }
    throw calls.failure(NvmlCodes.INSUFFICIENT_SIZE, function, uuid);
  }

  private static List<ComputeProcess> decode(Memory infos, int entries) {
    if (entries == 0) {
      return List.of();
    }
    byte[] bytes = infos.getByteArray(0, Math.toIntExact(infos.size()));
    int stride = StrideInference.strideOf(bytes, entries);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    List<ComputeProcess> processes = new ArrayList<>(entries);
    for (int i = 0; i < entries; i++) {
      processes.add(entry(buffer, i * stride, stride));
    }
    return List.copyOf(processes);
  }

  private static ComputeProcess entry(ByteBuffer buffer, int at, int stride) {
    boolean hasInstances = stride > ProcessInfo.SHORTEST;
    return new ComputeProcess(
        Integer.toUnsignedLong(buffer.getInt(at + ProcessInfo.PID)),
        memory(buffer.getLong(at + ProcessInfo.USED_MEMORY)),
        hasInstances ? instance(buffer.getInt(at + ProcessInfo.GPU_INSTANCE)) : OptionalInt.empty(),
        hasInstances
            ? instance(buffer.getInt(at + ProcessInfo.COMPUTE_INSTANCE))
            : OptionalInt.empty());
  }

  private static OptionalLong memory(long bytes) {
    return bytes == UNKNOWN_MEMORY ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  private static OptionalInt instance(int id) {
    return id == NO_INSTANCE ? OptionalInt.empty() : OptionalInt.of(id);
  }
}
