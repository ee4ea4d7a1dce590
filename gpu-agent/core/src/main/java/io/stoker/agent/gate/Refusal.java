package io.stoker.agent.gate;

/**
 * The reason why something has to wait at a gate.
 *
 * @param sentence with the figures
 */
public record Refusal(Gate gate, String sentence) {}
