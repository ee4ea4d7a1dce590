package io.stoker.agent.report;

import io.stoker.agent.runner.LogSink;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends jobs' output. What the broker does not take off is bounded: beyond that, pieces are
 * dropped, and their numbers show the gap. The whole output stays on the host's disk until the
 * attempt is forgotten.
 */
public final class LogOutlet implements LogSink {
  private static final long MOST_UNSENT = 16L * 1024 * 1024;

  private final Outlet outlet;
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  public LogOutlet(Outlet outlet) {
    this.outlet = outlet;
  }

  @Override
  public void send(LogChunk chunk) {
    send(chunk, () -> {});
  }

  @Override
  public void send(LogChunk chunk, Runnable taken) {
    byte[] value = Json.bytes(chunk);
    if (unsent.addAndGet(value.length) > MOST_UNSENT) {
      unsent.addAndGet(-value.length);
      dropped.incrementAndGet();
      taken.run();
      return;
    }
    outlet
        .send(chunk.job(), value)
        .whenComplete(
            (done, failure) -> {
              unsent.addAndGet(-value.length);
              if (failure == null) {
                taken.run();
              }
            });
  }

  /** Pieces dropped since the start. */
  public long dropped() {
    return dropped.get();
  }
}
