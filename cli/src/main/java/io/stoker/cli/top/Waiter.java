package io.stoker.cli.top;

/**
 * The first of a queue's line.
 *
 * @param queuedAt when it got in line, ISO 8601; null if nobody says
 * @param why it does not go on, in a sentence
 */
record Waiter(String queue, String id, String queuedAt, String why) {}
