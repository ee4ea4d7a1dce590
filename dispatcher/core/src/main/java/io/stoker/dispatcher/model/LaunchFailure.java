package io.stoker.dispatcher.model;

/**
 * A job that could not be started on a host.
 *
 * @param at ms since 1970
 */
public record LaunchFailure(String host, String job, long at) {}
