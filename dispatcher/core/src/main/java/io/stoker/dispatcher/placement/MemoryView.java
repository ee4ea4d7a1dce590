package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Shape;
import java.util.List;
import java.util.Map;

/**
 * The known need of a job for GPU memory, for people.
 *
 * @param declared bytes on each GPU that the request asks for
 * @param expected what was measured, null if nothing was
 * @param ranOut whether an attempt of it ran out of GPU memory
 * @param sentence what follows from all that
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MemoryView(Long declared, Estimate expected, boolean ranOut, String sentence) {
  /** Tells jobs in line what they are expected to take. */
  public static List<QueueHead> expecting(
      List<QueueHead> line, Map<MemoryKeys, Estimate> estimates) {
    return line.stream().map(head -> expecting(head, estimates)).toList();
  }

  private static QueueHead expecting(QueueHead head, Map<MemoryKeys, Estimate> estimates) {
    Memory memory = head.memory();
    Estimate onGpu = estimates.get(memory.keys());
    Estimate ofHost = estimates.get(memory.ofHost().keys());
    if (onGpu == null && ofHost == null) {
      return head;
    }
    Memory known = onGpu == null ? memory : memory.expecting(onGpu.bytes());
    return head.with(ofHost == null ? known : known.expecting(known.ofHost().expecting(ofHost)));
  }

  /**
   * The view.
   *
   * @param expected null if nothing was measured
   */
  public static MemoryView of(Shape shape, boolean ranOut, Estimate expected) {
    String known =
        expected == null
            ? "nothing like it was measured yet"
            : "it is expected to take " + expected.sentence();
    String declared =
        shape.gpuMemory() == null
            ? "the request says nothing"
            : "the request says " + ByteSize.text(shape.gpuMemory());
    return new MemoryView(
        shape.gpuMemory(),
        expected,
        ranOut,
        known + "; " + declared + "; " + effect(shape, ranOut, expected));
  }

  private static String effect(Shape shape, boolean ranOut, Estimate expected) {
    if (ranOut) {
      return "since it ran out of GPU memory, it gets its GPU(s) alone, the largest first";
    }
    if (!shape.shared()) {
      return "it has its GPU(s) alone";
    }
    if (expected != null) {
      return "it shares where so much is free";
    }
    return shape.gpuMemory() == null
        ? "it gets its GPU(s) alone, unless a host assumes what such jobs take"
        : "it shares where what it says is free";
  }
}
