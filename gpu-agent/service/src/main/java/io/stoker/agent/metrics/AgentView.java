package io.stoker.agent.metrics;

import io.stoker.agent.attempt.Figures;
import io.stoker.agent.loop.AgentName;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.List;

/**
 * An agent at one moment, as its metrics show it.
 *
 * @param resources what its host has to give
 * @param telemetry of its devices, as last measured
 * @param ended what ended attempts took
 * @param leaseMs for how long jobs may run on if no heartbeat is acknowledged any more; 0 without a
 *     lease
 */
public record AgentView(
    AgentName agent,
    HostResources resources,
    List<DeviceTelemetry> telemetry,
    Figures figures,
    EndedTotals.Sums ended,
    long leaseMs,
    Sending sending,
    Disk disk) {
  /**
   * What is to be sent.
   *
   * @param unsent events that the broker does not have yet
   * @param logsDropped pieces of jobs' output that were dropped
   */
  public record Sending(int unsent, long logsDropped) {}

  /**
   * Where its data are.
   *
   * @param journal bytes of the journal's file
   * @param free bytes
   */
  public record Disk(long journal, long free) {}
}
