package io.stoker.agent.nvml;

import io.stoker.agent.nvml.Layouts.ProcessInfo;

/**
 * Finds the length of a process entry from what the driver wrote.
 *
 * <p>Drivers disagree about it (24 bytes, 32 in some 535 releases, 16 in the oldest form) and do
 * not say. So the buffer holds {@link ProcessInfo#LONGEST} bytes for each entry and is filled with
 * {@link #FILL} beforehand: the last byte that changed tells how far the entries reach.
 */
final class StrideInference {
  static final byte FILL = (byte) 0xAA;

  private static final int[] STRIDES = {
    ProcessInfo.SHORTEST, ProcessInfo.SIZE, ProcessInfo.LONGEST
  };

  private StrideInference() {}

  /**
   * The length of an entry in bytes.
   *
   * @param buffer as it came back from the driver
   * @param entries how many the driver says it wrote, at least 1
   */
  static int strideOf(byte[] buffer, int entries) {
    int written = written(buffer);
    for (int stride : STRIDES) {
      if (written <= (long) stride * entries) {
        return stride;
      }
    }
    // The driver wrote past its own entries, so the reach tells nothing: take the documented form.
    return ProcessInfo.SIZE;
  }

  private static int written(byte[] buffer) {
    int end = buffer.length;
    while (end > 0 && buffer[end - 1] == FILL) {
      end--;
    }
    return end;
  }
}
