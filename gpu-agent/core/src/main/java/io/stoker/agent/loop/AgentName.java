package io.stoker.agent.loop;

/**
 * The name of an agent.
 *
 * @param fleet that its host belongs to
 * @param version of the agent
 */
public record AgentName(String host, String fleet, String version) {}
