package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.model.Shape;

/**
 * The known need of a job for memory of its host, for people.
 *
 * @param declared bytes that the request asks for
 * @param expected what was measured, null if nothing was
 * @param ranOut attempts of it that ran out of host memory
 * @param promised bytes that it is to be promised; null if nothing is known, or if it is to have
 *     all memory of its host
 * @param sentence what follows from all that
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HostMemoryView(
    Long declared, Estimate expected, int ranOut, Long promised, String sentence) {
  /** The view of a job of this shape. */
  public static HostMemoryView of(Shape shape, HostMemory known) {
    MemoryNeed need = known.need(shape.memory());
    String measured =
        known.expected() == null
            ? "nothing like it was measured yet"
            : "it is expected to take " + known.expected().sentence();
    String declared =
        shape.memory() == null
            ? "the request says nothing"
            : "the request says " + ByteSize.text(shape.memory());
    return new HostMemoryView(
        shape.memory(),
        known.expected(),
        known.ranOut(),
        need == null || need.equals(MemoryNeed.ALL) ? null : Long.valueOf(need.bytes()),
        measured + "; " + declared + "; " + effect(need, known.ranOut()));
  }

  private static String effect(MemoryNeed need, int ranOut) {
    if (need == null) {
      return "it is placed whatever memory is left";
    }
    if (need.equals(MemoryNeed.ALL)) {
      return "since it ran out of host memory %d times, it gets all memory of a host"
          .formatted(ranOut);
    }
    String where = "it is placed where %s is left".formatted(ByteSize.text(need.bytes()));
    return ranOut == 0 ? where : where + ", more than before, since it ran out of host memory";
  }
}
