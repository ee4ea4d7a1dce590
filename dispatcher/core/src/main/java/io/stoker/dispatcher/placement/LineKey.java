package io.stoker.dispatcher.placement;

/**
 * A {@link Line}, by the texts under which its jobs stand in the database.
 *
 * @param shape its canonical text
 * @param plannedGroup empty for none
 */
public record LineKey(String queue, String shape, String plannedGroup) {}
