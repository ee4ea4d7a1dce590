package io.stoker.dispatcher.placement;

/**
 * The evidence against a host.
 *
 * @param held whether it gets no jobs; else it is on trial, and gets one at a time
 * @param sentence for people, with figures
 */
public record Suspicion(boolean held, String sentence) {}
