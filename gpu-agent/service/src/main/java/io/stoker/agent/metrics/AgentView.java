package io.stoker.agent.metrics;

import io.stoker.agent.attempt.Figures;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.List;

/**
 * An agent at one moment, as its metrics show it.
 *
 * @param version of the agent
 * @param resources what its host has to give
 * @param telemetry of its devices, as last measured
 * @param ended what ended attempts took
 * @param unsent events that the broker does not have yet
 * @param logsDropped pieces of jobs' output that were dropped
 * @param journalBytes of the journal's file
 * @param leaseMs for how long jobs may run on if no heartbeat is acknowledged any more; 0 without a
 *     lease
 * @param diskFree bytes that are free where its data are
 */
public record AgentView(
    String host,
    String fleet,
    String version,
    HostResources resources,
    List<DeviceTelemetry> telemetry,
    Figures figures,
    EndedTotals.Sums ended,
    int unsent,
    long logsDropped,
    long journalBytes,
    long leaseMs,
    long diskFree) {}
