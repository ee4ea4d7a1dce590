package io.stoker.agent.gpu;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Troubles of devices as they happen. To be waited on by a platform thread of its own: a wait holds
 * its thread.
 */
public interface NvmlEvents extends AutoCloseable {
  /** The longest wait: closing, and releasing NVML, wait for it. */
  Duration MAX_WAIT = Duration.ofSeconds(5);

  /** Devices that do not tell their troubles, by UUID, each with the reason. */
  Map<String, String> unwatched();

  /**
   * The next event, or none if none comes in time.
   *
   * @param limit more than 0, at most {@link #MAX_WAIT}
   * @throws NvmlException with {@link NvmlException#isGpuLost} if a device has fallen off the bus
   * @throws IllegalStateException after this or NVML was closed
   */
  Optional<DeviceEvent> await(Duration limit);

  /** Ends the watch, after a wait that is under way. Closing again does nothing. */
  @Override
  void close();
}
