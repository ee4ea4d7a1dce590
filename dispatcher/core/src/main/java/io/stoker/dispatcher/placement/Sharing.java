package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import java.util.Comparator;
import java.util.List;

/**
 * Computes how a host's GPUs can be shared.
 *
 * @param devices its GPUs
 * @param capacity what is free on them; not to be changed
 * @param staged how many staged jobs more it would hold that have no GPU yet
 * @param assumed bytes that the host counts a shared job with which does not say what it takes;
 *     null if it gives such a job its GPUs alone
 */
public record Sharing(List<DeviceInfo> devices, GpuCapacity capacity, Long assumed, int staged) {

  /**
   * Bytes that a job is promised on each GPU; null if it has them alone. What was measured counts
   * more than what the request says, and that more than what the host assumes. Who ran out of
   * memory, or is expected to take more than there is, gets GPUs alone.
   */
  Long bytes(QueueHead head) {
    return bytes(head, size(head.shape().gpus()));
  }

  /**
   * The same.
   *
   * @param size of as many GPUs as the job asks for
   */
  Long bytes(QueueHead head, long size) {
    if (!head.shape().shared() || head.memory().ranOut()) {
      return null;
    }
    Long expected = head.memory().expected();
    if (expected != null) {
      return expected <= size ? expected : null;
    }
    return head.shape().gpuMemory() == null ? assumed : head.shape().gpuMemory();
  }

  /** Bytes that each of so many GPUs has in all, the largest being taken; 0 if there are fewer. */
  long size(int gpus) {
    if (gpus < 1 || devices.size() < gpus) {
      return 0;
    }
    return gpus == 1 ? largest() : bySize(gpus);
  }

  private long bySize(int gpus) {
    return devices.stream()
        .map(DeviceInfo::memory)
        .sorted(Comparator.reverseOrder())
        .skip(gpus - 1L)
        .findFirst()
        .orElse(0L);
  }

  /** Asked for each job on each host: no stream is set up for it. */
  private long largest() {
    long most = 0;
    for (DeviceInfo device : devices) {
      most = Math.max(most, device.memory());
    }
    return most;
  }
}
