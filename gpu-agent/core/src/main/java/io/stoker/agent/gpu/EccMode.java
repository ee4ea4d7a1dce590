package io.stoker.agent.gpu;

/** Whether error-correcting memory is on now, and after the next reboot. */
public record EccMode(boolean current, boolean pending) {}
