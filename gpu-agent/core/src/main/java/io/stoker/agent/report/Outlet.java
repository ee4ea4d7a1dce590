package io.stoker.agent.report;

import java.util.concurrent.CompletionStage;

/** One topic to write to. */
public interface Outlet {
  /** A record is larger than the broker takes, however often it is sent. */
  final class TooLarge extends RuntimeException {
    public TooLarge(String message) {
      super(message);
    }
  }

  /** How long to wait before what was given up is written again. */
  int RETRY_MS = 500;

  /**
   * Writes a record. Completes when every in-sync replica has it; fails if it was given up, with
   * {@link TooLarge} if it can never be sent.
   */
  CompletionStage<Void> send(String key, byte[] value);

  /**
   * Records keep their order as long as their keys have the same lane: here those of one key alone.
   */
  default int partition(String key) {
    return key.hashCode();
  }
}
