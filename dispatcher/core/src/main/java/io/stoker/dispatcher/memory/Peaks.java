package io.stoker.dispatcher.memory;

import java.util.List;

/**
 * Peaks of memory that were measured, or how long jobs ran.
 *
 * @param newest the last few: bytes on each GPU, or of the host; or ms
 * @param seen how many there have been in all
 */
public record Peaks(List<Long> newest, long seen) {
  public static final Peaks NONE = new Peaks(List.of(), 0);
}
