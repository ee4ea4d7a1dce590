package io.stoker.agent.runner;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The end of a stream, bounded. */
final class TextTail {
  private static final int MAX = 16 * 1024;

  private byte[] bytes = new byte[0];

  void accept(byte[] more, int length) {
    int kept = Math.min(bytes.length, Math.max(0, MAX - length));
    int taken = Math.min(length, MAX);
    byte[] joined =
        Arrays.copyOf(Arrays.copyOfRange(bytes, bytes.length - kept, bytes.length), kept + taken);
    System.arraycopy(more, length - taken, joined, kept, taken);
    bytes = joined;
  }

  String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
