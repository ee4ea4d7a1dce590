package io.stoker.agent.loop;

import io.stoker.agent.lease.Seat;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The facts that an agent reports of its host and of itself.
 *
 * @param journal id of its journal
 * @param seat where the agent sits
 * @param maxWaiting staged jobs that it holds without a GPU, 0 = any number
 * @param memory bytes of host memory that its jobs may be promised in all, if that is known
 */
public record HostFacts(
    AgentName agent,
    String bootId,
    String journal,
    Seat seat,
    Map<String, String> labels,
    int maxWaiting,
    OptionalLong memory) {}
