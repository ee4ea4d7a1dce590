package io.stoker.agent.gpu;

/** The temperatures at which a GPU protects itself from heat. */
public enum TemperatureLimit {
  /** It turns itself off. */
  SHUTDOWN(0),
  /** It lowers its clocks. */
  SLOWDOWN(1);

  private final int code;

  TemperatureLimit(int code) {
    this.code = code;
  }

  /** NVML's number for it. */
  public int code() {
    return code;
  }
}
