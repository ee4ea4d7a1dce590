package io.stoker.agent.runner;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * The line of an output that is being read, however it comes in pieces: kept if it begins as what a
 * program says to its agent; any other takes no memory.
 */
final class MarkedLine {
  private static final byte[] PREFIX = "#stoker:".getBytes(StandardCharsets.US_ASCII);

  private final ByteArrayOutputStream line = new ByteArrayOutputStream(0);
  private final int most;
  private boolean skipping;

  /**
   * @param most bytes that are kept of it
   */
  MarkedLine(int most) {
    this.most = most;
  }

  /** Goes on with these bytes, which no line ends in. */
  void add(byte[] bytes, int from, int until) {
    int at = line.size();
    int compared = Math.clamp(PREFIX.length - at, 0, until - from);
    if (compared > 0 && !Arrays.equals(bytes, from, from + compared, PREFIX, at, at + compared)) {
      skipping = true;
      line.reset();
    }
    if (!skipping) {
      line.write(bytes, from, Math.min(until - from, most - at));
    }
  }

  /** Ends it and begins the next; empty if it says nothing to the agent. */
  Optional<byte[]> end() {
    Optional<byte[]> said =
        skipping || line.size() <= PREFIX.length
            ? Optional.empty()
            : Optional.of(line.toByteArray());
    skipping = false;
    line.reset();
    return said;
  }
}
