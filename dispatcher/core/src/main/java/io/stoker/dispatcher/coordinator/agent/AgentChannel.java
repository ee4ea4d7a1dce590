package io.stoker.dispatcher.coordinator.agent;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.host.AgentRecords.Written;

/** The topics of hosts. Records for one host keep the order in which they were handed over. */
public interface AgentChannel {
  /** Sees to it that the host's topic is there; fails if it cannot be made. */
  Uni<Void> open(String host);

  /** Done when the broker has it. */
  Uni<Void> send(String host, Written record);
}
