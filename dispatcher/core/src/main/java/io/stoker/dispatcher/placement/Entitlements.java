package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Computes what each queue has of all GPUs, or of all slots, and what it is entitled to: its part,
 * by weight, among the queues that have work for them. What is being ended a queue has no more;
 * what is held for its jobs it has already.
 */
final class Entitlements {
  /** Parts of a device that come of dividing by weights. */
  private static final double ROUNDING = 1e-9;

  private final Snapshot snapshot;
  private final boolean onGpus;
  private final Map<String, Long> has = new HashMap<>();
  private final Map<String, Double> dues = new HashMap<>();

  /**
   * Counts.
   *
   * @param open all open attempts
   * @param made room that is made for jobs in line
   * @param waiting queues whose jobs wait for such devices
   */
  Entitlements(
      Snapshot snapshot,
      List<AttemptRow> open,
      List<Reservation> made,
      Collection<String> waiting,
      boolean onGpus) {
    this.snapshot = snapshot;
    this.onGpus = onGpus;
    open.stream()
        .filter(row -> row.cancelReason() == null)
        .forEach(row -> give(row.queue(), row.takes().devices(onGpus)));
    made.forEach(
        reservation ->
            give(
                reservation.queue(),
                (long) reservation.hosts().size() * reservation.made().takes().devices(onGpus)));
    TreeSet<String> atWork = new TreeSet<>(waiting);
    has.forEach((queue, devices) -> atWork.add(queue));
    double weights = atWork.stream().mapToDouble(this::weight).sum();
    long all =
        snapshot.hosts().stream()
            .filter(Host::usable)
            .mapToLong(host -> onGpus ? host.devices().size() : host.cpuSlots())
            .sum();
    atWork.forEach(queue -> dues.put(queue, all * weight(queue) / weights));
  }

  private void give(String queue, long devices) {
    if (devices > 0) {
      has.merge(queue, devices, Long::sum);
    }
  }

  private double weight(String queue) {
    return snapshot.standing(queue).settings().weight();
  }

  private long has(String queue) {
    return has.getOrDefault(queue, 0L);
  }

  private double due(String queue) {
    return dues.getOrDefault(queue, 0.0);
  }

  /** Whether a queue has, with so many devices more, no more than is due to it. */
  boolean isDue(String queue, long devices) {
    return has(queue) + devices <= due(queue) + ROUNDING;
  }

  /** Whether a queue has, with so many devices less, as much as is due to it. */
  boolean canSpare(String queue, long devices) {
    return has(queue) - devices >= due(queue) - ROUNDING;
  }

  /** What a queue has had until now for its weight: that decides whose turn it is. */
  double had(String queue) {
    Standing standing = snapshot.standing(queue);
    DeviceTime time = standing.charged();
    return (onGpus ? time.gpuMs() : time.slotMs()) / standing.settings().weight();
  }
}
