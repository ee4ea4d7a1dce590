package io.stoker.dispatcher.kinds;

/**
 * The result of reading the configuration again.
 *
 * @param applied whether it is in force; if not, what was in force before still is
 * @param generation of what is in force
 * @param kinds how many there are
 * @param file that was read, absent if none is configured
 * @param line of it that is wrong, absent if it was applied
 * @param message for people
 */
public record Reloaded(
    boolean applied, long generation, int kinds, String file, Integer line, String message) {}
