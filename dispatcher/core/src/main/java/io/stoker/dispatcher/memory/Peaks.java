package io.stoker.dispatcher.memory;

import java.util.List;

/**
 * Peaks of GPU memory that were measured.
 *
 * @param newest bytes on each GPU, the last few
 * @param seen how many there have been in all
 */
public record Peaks(List<Long> newest, long seen) {
  public static final Peaks NONE = new Peaks(List.of(), 0);
}
