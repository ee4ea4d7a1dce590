package io.stoker.agent.gpu;

/**
 * A call of NVML failed. Says nothing about which devices the host has: never read it as "none".
 *
 * <p>{@link #code} is NVML's, {@link #function} the function's name in C, {@link #subject} the
 * device asked about, or {@code this host}.
 */
public final class NvmlException extends RuntimeException {
  private final int code;
  private final String function;
  private final String subject;
  private final String errorString;

  public NvmlException(int code, String function, String subject, String errorString) {
    super("%s failed for %s with code %d: %s".formatted(function, subject, code, errorString));
    this.code = code;
    this.function = function;
    this.subject = subject;
    this.errorString = errorString;
  }

  public int code() {
    return code;
  }

  public String function() {
    return function;
  }

  public String subject() {
    return subject;
  }

  /** NVML's own words for the code. */
  public String errorString() {
    return errorString;
  }

  /** The GPU has fallen off the bus: it is of no use until the host is started again. */
  public boolean isGpuLost() {
    return code == NvmlCodes.GPU_IS_LOST;
  }

  /** No device with that UUID is here (any more). */
  public boolean isNotFound() {
    return code == NvmlCodes.NOT_FOUND;
  }
}
