package io.stoker.agent.gpu;

/** Whether a GPU is in MIG mode now, and after the next reset. */
public record MigMode(boolean current, boolean pending) {}
