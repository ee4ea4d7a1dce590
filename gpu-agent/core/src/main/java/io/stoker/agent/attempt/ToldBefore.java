package io.stoker.agent.attempt;

import java.util.Set;

/**
 * Which lines of an attempt's output an earlier agent has made events of: who reads the output from
 * its beginning hands on none of these but those that the broker may not have.
 *
 * @param results up to which byte of its stdout results have been told
 * @param owed where the lines of those results end that the broker may not have
 */
public record ToldBefore(long results, Set<Long> owed) {
  public static final ToldBefore NOTHING = new ToldBefore(0, Set.of());
}
