package io.stoker.agent.nvml;

/** How a GPU protects itself from heat. */
public enum TemperatureLimit {
  /** It turns itself off. */
  SHUTDOWN(0),
  /** It lowers its clocks. */
  SLOWDOWN(1);

  /** NVML's number. */
  final int code;

  TemperatureLimit(int code) {
    this.code = code;
  }
}
