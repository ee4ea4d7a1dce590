package io.stoker.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.stoker.agent.gpu.MigDevice;
import io.stoker.agent.gpu.MigMode;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.nvml.Layouts.DeviceAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Enumerates the MIG devices of a GPU, anew each time: their handles are reused by NVML. */
record MigReader(OptionalSymbols optional, DeviceQuestions questions, Calls calls) {
  private static final String BY_INDEX = "nvmlDeviceGetMigDeviceHandleByIndex";

  List<MigDevice> read(long gpu, String gpuUuid) {
    if (!questions.migMode(gpu, gpuUuid).map(MigMode::current).orElse(false)) {
      return List.of();
    }
    int max = questions.maxMigDevices(gpu, gpuUuid);
    List<MigDevice> devices = new ArrayList<>();
    try (Memory handle = new Memory(Long.BYTES)) {
      for (int index = 0; index < max; index++) {
        int code = optional.migDeviceByIndex.call(gpu, index, Pointer.nativeValue(handle));
        // Not every place is taken, and the taken ones need not come first.
        if (code != NvmlCodes.NOT_FOUND) {
          calls.require(code, BY_INDEX, gpuUuid);
          devices.add(describe(handle.getLong(0), gpuUuid));
        }
      }
    }
    return List.copyOf(devices);
  }

  private MigDevice describe(long mig, String gpuUuid) {
    String uuid = questions.uuid(mig, "a MIG device of " + gpuUuid);
    return new MigDevice(
        uuid, gpuUuid, questions.name(mig, uuid), instance(mig, uuid), attributes(mig, uuid));
  }

  private OptionalInt instance(long mig, String uuid) {
    return calls
        .struct(
            "nvmlDeviceGetGpuInstanceId",
            uuid,
            Integer.BYTES,
            out -> optional.gpuInstanceId.call(mig, out),
            out -> OptionalInt.of(out.getInt(0)))
        .orElseGet(OptionalInt::empty);
  }

  private Optional<MigDevice.Attributes> attributes(long mig, String uuid) {
    return calls.struct(
        "nvmlDeviceGetAttributes_v2",
        uuid,
        DeviceAttributes.SIZE,
        out -> optional.attributes.call(mig, out),
        out ->
            new MigDevice.Attributes(
                out.getInt(DeviceAttributes.MULTIPROCESSORS),
                out.getInt(DeviceAttributes.GPU_SLICES),
                out.getInt(DeviceAttributes.COMPUTE_SLICES),
                out.getLong(DeviceAttributes.MEMORY_MB)));
  }

  /** The handle of the GPU that a MIG device is a part of. */
  Optional<Long> gpuOf(long mig, String uuid) {
    return calls.struct(
        "nvmlDeviceGetDeviceHandleFromMigDeviceHandle",
        uuid,
        Long.BYTES,
        out -> optional.gpuOfMigDevice.call(mig, out),
        out -> out.getLong(0));
  }
}
