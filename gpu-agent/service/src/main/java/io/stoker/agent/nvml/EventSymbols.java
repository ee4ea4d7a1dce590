package io.stoker.agent.nvml;

/** Declarations of the functions for events, which came together and are of use only together. */
final class EventSymbols {
  private EventSymbols() {}

  static native int nvmlEventSetCreate(long set);

  static native int nvmlDeviceRegisterEvents(long device, long types, long set);

  static native int nvmlEventSetWait_v2(long set, long data, int timeoutMs);

  static native int nvmlEventSetFree(long set);
}
