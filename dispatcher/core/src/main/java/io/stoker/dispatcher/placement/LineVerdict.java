package io.stoker.dispatcher.placement;

/**
 * The finding of a pass on a line whose first jobs say in their statuses that no host can ever
 * serve them.
 *
 * @param sentence what the statuses of all of it are to say; null if a host can serve it
 * @param looked the rank of the last job that the pass looked at
 */
public record LineVerdict(Line line, String sentence, long looked) {}
