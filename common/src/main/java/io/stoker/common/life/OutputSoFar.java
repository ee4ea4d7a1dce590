package io.stoker.common.life;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a process has said so far. Nothing is read but what is there: whom it has left behind may
 * hold its output open. What it has said itself is there once it has ended.
 */
public final class OutputSoFar {
  private final InputStream from;
  private final int most;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * @param from one of its streams
   * @param most bytes that are taken
   */
  public OutputSoFar(InputStream from, int most) {
    this.from = from;
    this.most = most;
  }

  /**
   * Takes what is there.
   *
   * @return whether that is something
   * @throws IOException if who has ended the process has closed its output
   */
  public boolean take() throws IOException {
    byte[] there = from.readNBytes(Math.min(from.available(), most - bytes.size()));
    bytes.writeBytes(there);
    return there.length > 0;
  }

  /** Bytes that were taken. */
  public int size() {
    return bytes.size();
  }

  public String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
