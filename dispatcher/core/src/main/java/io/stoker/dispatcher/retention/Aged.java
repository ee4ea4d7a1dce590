package io.stoker.dispatcher.retention;

/**
 * A request or a job that may have been over for long.
 *
 * @param seq when it arrived, see {@link io.stoker.dispatcher.model.Arrival}
 * @param over whether it has been over for long enough
 */
public record Aged(String id, long seq, boolean over) {}
