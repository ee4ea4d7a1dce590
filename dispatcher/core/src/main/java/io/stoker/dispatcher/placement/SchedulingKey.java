package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Shape;
import java.util.Objects;
import java.util.Set;

/**
 * All that the hosts see of a job: jobs that ask alike have the same answer. Looked up for each job
 * some times, it works out its hash once.
 */
final class SchedulingKey {
  private final Shape shape;
  private final Avoid avoid;
  private final Set<String> returnedBy;
  private final Long expected;
  private final boolean ranOut;
  private final int hash;

  private SchedulingKey(
      Shape shape, Avoid avoid, Set<String> returnedBy, Long expected, boolean ranOut) {
    this.shape = shape;
    this.avoid = avoid;
    this.returnedBy = returnedBy;
    this.expected = expected;
    this.ranOut = ranOut;
    // Of all that tells jobs apart: what the hash leaves out, one of many lines may differ in
    // alone.
    int ofJob = 31 * (31 * avoid.hashCode() + returnedBy.hashCode()) + Objects.hashCode(expected);
    hash = 31 * shape.hashCode() + ofJob;
  }

  static SchedulingKey of(QueueHead head) {
    Memory memory = head.memory();
    return new SchedulingKey(
        head.shape(), head.avoid(), head.returnedBy(), memory.expected(), memory.ranOut());
  }

  /**
   * What of it says which hosts can ever serve: what was measured only corrects what the request
   * says of GPU memory, and who has returned such a job may be asked again.
   */
  SchedulingKey ever() {
    boolean says = shape.gpuMemory() != null;
    if (returnedBy.isEmpty() && (says || expected == null && !ranOut)) {
      return this;
    }
    return new SchedulingKey(shape, avoid, Set.of(), says ? expected : null, says && ranOut);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SchedulingKey that
        && hash == that.hash
        && ranOut == that.ranOut
        && (shape == that.shape || shape.equals(that.shape))
        && avoid.equals(that.avoid)
        && returnedBy.equals(that.returnedBy)
        && Objects.equals(expected, that.expected);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
