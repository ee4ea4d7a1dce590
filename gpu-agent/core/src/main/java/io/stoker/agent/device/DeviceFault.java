package io.stoker.agent.device;

/**
 * A device that is there and cannot be used.
 *
 * @param device its id, or {@code GPU <index>} when no more is known of it
 * @param reason a sentence for people
 */
public record DeviceFault(String device, String reason) {}
