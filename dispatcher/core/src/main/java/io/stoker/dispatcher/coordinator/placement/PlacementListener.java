package io.stoker.dispatcher.coordinator.placement;

/** Hears what placement does, for who measures it. */
public interface PlacementListener {
  /** A pass was made; it took so long, up to its commit. */
  default void passed(long nanos) {}

  /** A pass has decided. */
  default void decided(long nanos) {}

  /** A pass has searched all hosts so often. */
  default void searched(long times) {}

  /** A pass has read so many jobs in line. */
  default void read(int heads) {}

  /** So many attempts were opened by a transaction that took their jobs in, or ended others. */
  default void placedAtOnce(int attempts) {}

  /** So many jobs are ended for others. */
  default void preempted(int jobs) {}
}
