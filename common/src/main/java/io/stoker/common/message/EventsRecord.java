package io.stoker.common.message;

import java.util.List;

/**
 * One record on the events topic: what happened to attempts on one host.
 *
 * @param v version of the format, 1
 * @param host the host it happened on
 * @param epoch the epoch in which it is reported
 * @param events at least one; of one attempt in rising {@code seq}
 */
public record EventsRecord(int v, String host, long epoch, List<AttemptEvent> events) {
  public static final int VERSION = 1;

  public EventsRecord(String host, long epoch, List<AttemptEvent> events) {
    this(VERSION, host, epoch, events);
  }
}
