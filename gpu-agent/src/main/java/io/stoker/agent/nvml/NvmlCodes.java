package io.stoker.agent.nvml;

/** The return codes of NVML that mean something to the agent. Every other one is just a failure. */
final class NvmlCodes {

  static final int SUCCESS = 0;
  static final int INVALID_ARGUMENT = 2;
  static final int NOT_SUPPORTED = 3;
  static final int NOT_FOUND = 6;
  static final int INSUFFICIENT_SIZE = 7;
  static final int DRIVER_NOT_LOADED = 9;
  static final int TIMEOUT = 10;
  static final int LIBRARY_NOT_FOUND = 12;
  static final int FUNCTION_NOT_FOUND = 13;
  static final int GPU_IS_LOST = 15;
  static final int LIBRARY_DRIVER_MISMATCH = 18;
  static final int ARGUMENT_VERSION_MISMATCH = 25;

  private NvmlCodes() {}

  /** The question is not offered here: by the device, the driver, or the library's age. */
  static boolean isAbsence(int code) {
    return code == NOT_SUPPORTED || code == FUNCTION_NOT_FOUND || code == ARGUMENT_VERSION_MISMATCH;
  }

  /** There is no NVIDIA driver on this host, and so no GPU to speak of. */
  static boolean isNoDriver(int code) {
    return code == DRIVER_NOT_LOADED || code == LIBRARY_NOT_FOUND;
  }
}
