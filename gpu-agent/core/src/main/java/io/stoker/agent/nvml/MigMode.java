package io.stoker.agent.nvml;

/** Whether a GPU is in MIG mode now, and after the next reset. */
public record MigMode(boolean current, boolean pending) {}
