package io.stoker.dispatcher.coordinator.status;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.status.StatusRecord;
import java.util.List;

/** The status topic. Records of one request keep the order in which they were handed over. */
public interface StatusSink {
  /** Done when the broker has all of them. */
  Uni<Void> send(List<StatusRecord> statuses);

  /** Says that these requests are no more; done when the broker has it. */
  Uni<Void> sendTombstones(List<String> requests);
}
