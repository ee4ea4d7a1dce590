package io.stoker.dispatcher.coordinator.record;

import java.util.Optional;

/**
 * A record of a topic, as it was received.
 *
 * @param partition of the topic
 * @param offset in the partition
 * @param key null if it has none
 * @param eventId the id that the transport carries, if any
 * @param value null if it has none
 */
public record Received(
    String topic, int partition, long offset, byte[] key, Optional<String> eventId, byte[] value) {

  /** Its value; empty if it has none. */
  public byte[] content() {
    return value == null ? new byte[0] : value;
  }
}
