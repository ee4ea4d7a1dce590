package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.ThroughputEstimate;
import io.stoker.dispatcher.runtime.Environment;
import java.util.Map;

/** Tells hosts what a transaction has placed, and counts it. The attempts' rows are the outbox. */
public final class CommittedPlacements {
  private final Environment environment;
  private final PlacementsPublisher publisher;
  private final ThroughputEstimate throughput;
  private final PlacementListener listener;

  public CommittedPlacements(
      Environment environment,
      PlacementsPublisher publisher,
      ThroughputEstimate throughput,
      PlacementListener listener) {
    this.environment = environment;
    this.publisher = publisher;
    this.throughput = throughput;
    this.listener = listener;
  }

  /**
   * Publishes them.
   *
   * @param epochs of the hosts when the transaction began
   * @param now when it was, ms since 1970
   */
  Uni<Void> publish(Placed placed, Map<String, Long> epochs, long now) {
    throughput.started(placed.opened(), now);
    return publisher.publish(placed, epochs);
  }

  /** The same of a transaction that took their jobs in, which waits for nothing of this. */
  void publishAtOnce(Placed placed, Map<String, Long> epochs, long now) {
    listener.placedAtOnce(placed.opened().size());
    publish(placed, epochs, now)
        .subscribe()
        .with(told -> {}, error -> environment.failed("publishing placements", error));
  }
}
