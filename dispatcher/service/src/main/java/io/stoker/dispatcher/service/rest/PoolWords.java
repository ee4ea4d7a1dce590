package io.stoker.dispatcher.service.rest;

import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.placement.FilterFailure;
import io.stoker.dispatcher.placement.HostAnswer;
import java.util.Optional;

/** Adds to a host's answer to a job of a pool how the pool is there, and whose it is. */
final class PoolWords {
  private PoolWords() {}

  /**
   * The answer, with more to it where the pool is the obstacle.
   *
   * @param resources what the host has told of itself
   * @param report how the pool was at the host's last heartbeat
   */
  static HostAnswer in(
      HostAnswer answer,
      String pool,
      Kinds kinds,
      Optional<HostResources> resources,
      Optional<PoolState> report) {
    Optional<String> more =
        answer.obstacle() == FilterFailure.NO_SUCH_POOL
            ? KindPools.missing(kinds, pool, answer.host(), resources)
            : answer.obstacle() == FilterFailure.BUSY
                ? report.map(PoolWords::state)
                : Optional.empty();
    return more.map(
            text ->
                new HostAnswer(answer.host(), answer.obstacle(), answer.sentence() + ": " + text))
        .orElse(answer);
  }

  private static String state(PoolState pool) {
    String whose = pool.kind() == null ? "" : "declared by kind " + pool.kind() + ", ";
    String why = pool.reason() == null ? "" : " (" + pool.reason() + ")";
    return "%s%s%s, %d workers, %d of them at work, %d jobs wait"
        .formatted(whose, pool.state(), why, pool.workers(), pool.busy(), pool.waiting());
  }
}
