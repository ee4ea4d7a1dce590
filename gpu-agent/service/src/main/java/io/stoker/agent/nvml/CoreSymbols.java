package io.stoker.agent.nvml;

/**
 * Declarations of the functions that every NVML since 2016 has. They are registered together:
 * {@code Native.register} stops at the first missing symbol, so nothing newer may be added here.
 *
 * <p>Handles and output structures are addresses.
 */
final class CoreSymbols {
  private CoreSymbols() {}

  static native int nvmlInit_v2();

  static native int nvmlShutdown();

  static native long nvmlErrorString(int code);

  static native int nvmlSystemGetDriverVersion(byte[] version, int length);

  static native int nvmlSystemGetNVMLVersion(byte[] version, int length);

  static native int nvmlDeviceGetCount_v2(long count);

  static native int nvmlDeviceGetHandleByIndex_v2(int index, long device);

  static native int nvmlDeviceGetHandleByUUID(byte[] uuid, long device);

  static native int nvmlDeviceGetUUID(long device, byte[] uuid, int length);

  static native int nvmlDeviceGetName(long device, byte[] name, int length);

  static native int nvmlDeviceGetMemoryInfo(long device, long memory);
}
