package io.stoker.agent.pool;

import java.util.Optional;

/**
 * The state of a pool that outlives the agent: what it was told, and its counts since the journal
 * began.
 *
 * @param closing how it was told to close; empty if it is open
 * @param processed tasks that have left it
 * @param failed of them, those that did not come to a good end
 * @param crashes workers that ended unasked
 */
public record PoolMemory(
    int session, Optional<Closing> closing, long processed, long failed, long crashes) {

  /** Of a pool of which nothing is known. */
  public static final PoolMemory NONE = new PoolMemory(1, Optional.empty(), 0, 0, 0);

  /** One more task has left. */
  public PoolMemory left(boolean asFailed) {
    return new PoolMemory(session, closing, processed + 1, failed + (asFailed ? 1 : 0), crashes);
  }
}
