package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryKeys;
import io.stoker.dispatcher.placement.Snapshot.Head;
import java.util.List;
import java.util.Map;

/**
 * What is known of a job's GPU memory, for people.
 *
 * @param declared bytes on each GPU that the request asks for
 * @param expected what was measured, null if nothing was
 * @param ranOut whether an attempt of it ran out of GPU memory
 * @param sentence what follows from all that
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MemoryView(Long declared, Estimate expected, boolean ranOut, String sentence) {

  /** Tells jobs in line what they are expected to take. */
  static List<Head> expecting(List<Head> line, Map<MemoryKeys, Estimate> estimates) {
    return line.stream()
        .map(
            head -> {
              Estimate known = estimates.get(head.memory().keys());
              return known == null ? head : head.expecting(known.bytes());
            })
        .toList();
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
