package io.stoker.dispatcher.coordinator.agent;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.lease.AgentRecords.Written;

/** The topics of hosts. Records for one host keep the order in which they were handed over. */
public interface AgentChannel {
  /** Done when the broker has it. */
  Uni<Void> send(String host, Written record);
}
