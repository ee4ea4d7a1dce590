package io.stoker.agent.nvml;

/** Whether error-correcting memory is on now, and after the next reboot. */
public record EccMode(boolean current, boolean pending) {}
