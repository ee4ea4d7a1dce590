package io.stoker.agent.report;

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
  private final Timer timer;
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  public LogOutlet(Outlet outlet, Timer timer) {
    this.outlet = outlet;
    this.timer = timer;
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
    send(chunk.job(), value, taken);
  }

  /** Until the broker has it: it may be away for longer than its client tries. */
  private void send(String job, byte[] value, Runnable taken) {
    outlet
        .send(job, value)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                unsent.addAndGet(-value.length);
                taken.run();
              } else {
                timer.after(Outlet.RETRY_MS, () -> send(job, value, taken));
              }
            });
  }

  /** Pieces dropped since the start. */
  public long dropped() {
    return dropped.get();
  }
}
