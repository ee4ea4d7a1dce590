package io.stoker.agent.gpu;

/**
 * The reasons why a GPU's clocks are held down.
 *
 * @param bits NVML's mask; the reasons that mean trouble have a method
 */
public record ClocksEventReasons(long bits) {
  private static final long HW_SLOWDOWN = 0x8;
  private static final long SW_THERMAL = 0x20;
  private static final long HW_THERMAL = 0x40;
  private static final long POWER_BRAKE = 0x80;

  /** The hardware slows the clocks, by a factor of two or more. */
  public boolean hardwareSlowdown() {
    return has(HW_SLOWDOWN);
  }

  /** The driver holds the clocks down to stay below the maximum operating temperature. */
  public boolean softwareThermal() {
    return has(SW_THERMAL);
  }

  /** The chip is too hot. */
  public boolean hardwareThermal() {
    return has(HW_THERMAL);
  }

  /** The power supply asks for less. */
  public boolean powerBrake() {
    return has(POWER_BRAKE);
  }

  private boolean has(long reason) {
    return (bits & reason) != 0;
  }
}
