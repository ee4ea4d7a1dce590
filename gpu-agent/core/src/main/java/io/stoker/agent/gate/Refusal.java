package io.stoker.agent.gate;

/**
 * Why something has to wait.
 *
 * @param sentence with the figures
 */
public record Refusal(Gate gate, String sentence) {}
