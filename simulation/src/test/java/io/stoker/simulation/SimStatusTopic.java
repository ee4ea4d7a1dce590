package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.coordinator.status.StatusSink;
import io.stoker.dispatcher.status.StatusRecord;
import java.util.ArrayList;
import java.util.List;

/** A dispatcher's way to the status topic. */
final class SimStatusTopic implements StatusSink {
  /** The topic of all, and the one of the queue in which all are. */
  static final String ALL = "status";

  static final String OF_QUEUE = "status.default";

  private final World world;
  private final SimLog log;
  private final Wire wire;

  SimStatusTopic(World world, SimLog log, Wire wire) {
    this.world = world;
    this.log = log;
    this.wire = wire;
  }

  @Override
  public Uni<Void> send(List<StatusRecord> statuses) {
    Uni<Void> sent = send(ALL, statuses).chain(() -> send(OF_QUEUE, statuses));
    if (world.has(Defect.ACKNOWLEDGE_BEFORE_STATUSES)) {
      sent.subscribe().with(done -> {}, world::broken);
      return Uni.createFrom().voidItem();
    }
    return sent;
  }

  private Uni<Void> send(String topic, List<StatusRecord> statuses) {
    List<Uni<Void>> sends = new ArrayList<>();
    for (StatusRecord record : statuses) {
      RequestStatus status = record.status();
      sends.add(log.send(wire, topic, status.id(), status));
    }
    return Uni.join().all(sends).andFailFast().replaceWithVoid();
  }

  /** Nothing is dropped in the simulation but what a restore has lost. */
  @Override
  public Uni<Void> sendTombstones(List<Tombstone> tombstones) {
    return Uni.createFrom().voidItem();
  }
}
