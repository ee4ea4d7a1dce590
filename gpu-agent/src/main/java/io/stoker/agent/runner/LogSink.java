package io.stoker.agent.runner;

import io.stoker.common.message.LogChunk;

/** Takes the pieces of jobs' output. Never blocks; it may drop when nobody takes them off. */
public interface LogSink {
  void send(LogChunk chunk);
}
