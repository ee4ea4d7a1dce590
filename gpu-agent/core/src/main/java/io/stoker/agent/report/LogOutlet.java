package io.stoker.agent.report;

import io.stoker.agent.key.AgentKey;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.security.Macs;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends jobs' output, signed with the host's key where it has one. What the broker does not take
 * off is bounded: beyond that, pieces are dropped, and their numbers show the gap. The whole output
 * stays on the host's disk until the attempt is forgotten.
 */
public final class LogOutlet implements LogSink {
  private static final long MOST_UNSENT = 16L * 1024 * 1024;

  private final Outlet outlet;
  private final AgentKey key;
  private final Timer timer;
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  public LogOutlet(Outlet outlet, AgentKey key, Timer timer) {
    this.outlet = outlet;
    this.key = key;
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

  /**
   * Until the broker has it: it may be away for longer than its client tries. Each try is signed
   * with the key of then.
   */
  private void send(String job, byte[] value, Runnable taken) {
    outlet
        .send(job, key.signing().map(own -> Macs.seal(own, value)).orElse(value))
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
