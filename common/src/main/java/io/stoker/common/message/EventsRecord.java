package io.stoker.common.message;

import java.util.List;

/**
 * One record on the events topic: what happened to attempts on one host.
 *
 * @param v version of the format, 1
 * @param host the host it happened on
 * @param epoch the epoch in which it is reported
 * @param events at least one; of one attempt in rising {@code seq}
 * @param mac HMAC under the host's key of the record's bytes before this field, which is the last
 *     one; null if each event is signed by itself. See {@link io.stoker.common.security.Macs}
 */
public record EventsRecord(int v, String host, long epoch, List<AttemptEvent> events, String mac) {
  public static final int VERSION = 1;

  /** Of which each event is signed by itself. */
  public EventsRecord(int v, String host, long epoch, List<AttemptEvent> events) {
    this(v, host, epoch, events, null);
  }

  /** Of which each event is signed by itself. */
  public EventsRecord(String host, long epoch, List<AttemptEvent> events) {
    this(VERSION, host, epoch, events);
  }
}
