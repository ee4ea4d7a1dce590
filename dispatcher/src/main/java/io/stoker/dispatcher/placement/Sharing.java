package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import java.util.List;

/**
 * How a host's GPUs can be shared.
 *
 * @param devices its GPUs
 * @param room what is free on them; not to be changed
 * @param assumed bytes that the host counts a shared job with which does not say what it takes;
 *     null if it gives such a job its GPUs alone
 */
public record Sharing(List<DeviceInfo> devices, GpuRoom room, Long assumed) {

  /** Bytes that a job of a shape is promised on each GPU; null if it has them alone. */
  Long bytes(Shape shape) {
    if (!shape.shared()) {
      return null;
    }
    return shape.gpuMemory() == null ? assumed : shape.gpuMemory();
  }
}
