package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Standing;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A queue's line for GPUs, or for CPU slots, while a pass serves it. The queue that has had least
 * for its weight is served next; among equals the one whose first job came first.
 */
final class QueueSchedulingContext implements Comparable<QueueSchedulingContext> {
  private final Standing standing;
  private final boolean forGpus;
  private final Deque<QueueHead> line = new ArrayDeque<>();
  private double had;

  QueueSchedulingContext(Standing standing, boolean forGpus) {
    this.standing = standing;
    this.forGpus = forGpus;
    had = amount(standing.charged());
  }

  String queue() {
    return standing.queue();
  }

  /** Puts a job at the end. */
  void add(QueueHead head) {
    line.add(head);
  }

  boolean isEmpty() {
    return line.isEmpty();
  }

  QueueHead next() {
    return line.remove();
  }

  /** The queue has been given, or promised, so much on each of so many hosts. */
  void charge(Need need, int members) {
    int slots = need.forGpus() ? 0 : need.count();
    had += members * amount(FairShare.ahead(need.takes().gpus(), slots));
  }

  private double amount(DeviceTime time) {
    return forGpus ? time.gpuMs() : time.slotMs();
  }

  private double share() {
    return had / standing.settings().weight();
  }

  @Override
  public int compareTo(QueueSchedulingContext other) {
    int byShare = Double.compare(share(), other.share());
    if (byShare != 0) {
      return byShare;
    }
    int byArrival = Long.compare(line.element().rank(), other.line.element().rank());
    return byArrival != 0 ? byArrival : queue().compareTo(other.queue());
  }
}
