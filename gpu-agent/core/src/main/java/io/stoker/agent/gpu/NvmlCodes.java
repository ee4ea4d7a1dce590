package io.stoker.agent.gpu;

/** The return codes of NVML that mean something to the agent. Every other one is just a failure. */
public final class NvmlCodes {
  public static final int SUCCESS = 0;
  public static final int INVALID_ARGUMENT = 2;
  public static final int NOT_SUPPORTED = 3;
  public static final int NOT_FOUND = 6;
  public static final int INSUFFICIENT_SIZE = 7;
  public static final int DRIVER_NOT_LOADED = 9;
  public static final int TIMEOUT = 10;
  public static final int LIBRARY_NOT_FOUND = 12;
  public static final int FUNCTION_NOT_FOUND = 13;
  public static final int GPU_IS_LOST = 15;
  public static final int ARGUMENT_VERSION_MISMATCH = 25;

  private NvmlCodes() {}

  /** The question is not offered here: by the device, the driver, or the library's age. */
  public static boolean isAbsence(int code) {
    return code == NOT_SUPPORTED || code == FUNCTION_NOT_FOUND || code == ARGUMENT_VERSION_MISMATCH;
  }

  /** There is no NVIDIA driver on this host, and so no GPU to speak of. */
  public static boolean isNoDriver(int code) {
    return code == DRIVER_NOT_LOADED || code == LIBRARY_NOT_FOUND;
  }
}
