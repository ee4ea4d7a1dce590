package io.stoker.dispatcher.fairshare;

/**
 * Devices × time.
 *
 * @param gpuMs GPUs × ms
 * @param slotMs CPU slots × ms
 */
public record DeviceTime(double gpuMs, double slotMs) {
  public static final DeviceTime NONE = new DeviceTime(0, 0);

  public DeviceTime plus(DeviceTime other) {
    return new DeviceTime(gpuMs + other.gpuMs, slotMs + other.slotMs);
  }

  /** What is left of it after some time. */
  public DeviceTime left(Decay decay, long elapsedMs) {
    return new DeviceTime(decay.left(gpuMs, elapsedMs), decay.left(slotMs, elapsedMs));
  }

  /** What is left of it at the end of the run that took it. */
  public DeviceTime leftOfRun(Decay decay, double runMs) {
    return new DeviceTime(decay.leftOfRun(gpuMs, runMs), decay.leftOfRun(slotMs, runMs));
  }

  DeviceTime atLeast(DeviceTime other) {
    return new DeviceTime(Math.max(gpuMs, other.gpuMs), Math.max(slotMs, other.slotMs));
  }
}
