package io.stoker.agent.gpu;

/** The mode of error-correcting memory now, and after the next reboot. */
public record EccMode(boolean current, boolean pending) {}
