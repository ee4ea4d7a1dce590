package io.stoker.agent.report;

import io.stoker.common.message.LogChunk;

/** Takes the pieces of jobs' output. Never blocks; it may drop when nobody takes them off. */
public interface LogSink {
  void send(LogChunk chunk);

  /**
   * The same.
   *
   * @param taken run once the broker has it, or nobody tries any more; from any thread
   */
  default void send(LogChunk chunk, Runnable taken) {
    send(chunk);
    taken.run();
  }
}
