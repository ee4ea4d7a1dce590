package io.stoker.agent.report;

import java.util.concurrent.CompletionStage;

/** One topic to write to. */
public interface Outlet {
  /** How long to wait before what was given up is written again. */
  int RETRY_MS = 500;

  /**
   * Writes a record.
   *
   * @return completes when every in-sync replica has it; fails if it was given up
   */
  CompletionStage<Void> send(String key, byte[] value);

  /**
   * Records keep their order as long as their keys have the same lane: here those of one key alone.
   */
  default int lane(String key) {
    return key.hashCode();
  }
}
