package io.stoker.agent.gpu;

/** The MIG mode of a GPU now, and after the next reset. */
public record MigMode(boolean current, boolean pending) {}
