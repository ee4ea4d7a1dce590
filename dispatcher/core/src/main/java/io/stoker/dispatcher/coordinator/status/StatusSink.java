package io.stoker.dispatcher.coordinator.status;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.status.StatusRecord;
import java.util.List;

/** Topics of statuses. Records of one request keep the order in which they were handed over. */
public interface StatusSink {
  /** Done when the broker has all of them. */
  Uni<Void> send(List<StatusRecord> statuses);

  /** Says that these requests are no more; done when the broker has it. */
  Uni<Void> sendTombstones(List<Tombstone> tombstones);

  /**
   * Says that a request is no more.
   *
   * @param queue where it was; null if that is not known
   */
  record Tombstone(String request, String queue) {}
}
