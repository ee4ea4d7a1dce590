package io.stoker.dispatcher.backup;

/**
 * An offset in a partition.
 *
 * @param group whose readers go on there; null for a topic that no group reads
 * @param offset of the next record
 */
public record Position(String group, String topic, int partition, long offset) {
  /** The partition, as people name it. */
  String name() {
    return topic + "-" + partition;
  }

  public Position at(long other) {
    return new Position(group, topic, partition, other);
  }

  public boolean isIn(Position other) {
    return topic.equals(other.topic) && partition == other.partition;
  }
}
