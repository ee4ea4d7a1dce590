package io.stoker.dispatcher.coordinator.record;

import java.util.Optional;

/**
 * A record of a topic, as it was received.
 *
 * @param partition of the topic
 * @param offset in the partition
 * @param key null if it has none
 * @param eventId the id that the transport carries, if any
 * @param sentBy who has sent it, where a dispatcher vouches for that
 * @param value null if it has none
 */
public record Received(
    String topic,
    int partition,
    long offset,
    byte[] key,
    Optional<String> eventId,
    Optional<String> sentBy,
    byte[] value) {
  /** Of nobody knows whom. */
  public Received(
      String topic,
      int partition,
      long offset,
      byte[] key,
      Optional<String> eventId,
      byte[] value) {
    this(topic, partition, offset, key, eventId, Optional.empty(), value);
  }

  /** Its value; empty if it has none. */
  public byte[] content() {
    return value == null ? new byte[0] : value;
  }
}
