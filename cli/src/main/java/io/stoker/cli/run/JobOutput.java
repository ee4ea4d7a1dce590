package io.stoker.cli.run;

import io.stoker.common.message.LogChunk;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A job's output on its way to the streams it belongs to. The logs topic keeps a job's chunks in
 * order but may repeat them.
 */
public final class JobOutput {
  private final OutputStream out;
  private final OutputStream err;
  private int attempt;
  private int next;
  private boolean complete;

  public JobOutput(OutputStream out, OutputStream err) {
    this.out = out;
    this.err = err;
  }

  /** Writes what is new in a chunk. */
  public void write(LogChunk chunk) {
    if (chunk.attempt() > attempt) {
      attempt = chunk.attempt();
      next = 0;
      complete = false;
    }
    if (chunk.attempt() < attempt || chunk.n() < next) {
      return;
    }
    next = chunk.n() + 1;
    complete = chunk.last();
    if (chunk.text() != null) {
      write(chunk.stream(), chunk.text());
    }
    if (chunk.truncated()) {
      write("stderr", "\nstoker: the log reached its limit; the rest is left out\n");
    }
  }

  /** Whether the attempt has written everything it ever writes. */
  public boolean isComplete(int ofAttempt) {
    return attempt == ofAttempt && complete || attempt > ofAttempt;
  }

  private void write(String stream, String text) {
    try {
      // Bytes, for a job writes UTF-8 whatever this terminal's encoding is.
      OutputStream to = "stderr".equals(stream) ? err : out;
      to.write(text.getBytes(StandardCharsets.UTF_8));
      to.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
