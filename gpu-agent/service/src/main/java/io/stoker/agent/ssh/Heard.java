package io.stoker.agent.ssh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * One of the two streams of a node's answer, up to more than any script of this agent has it say. A
 * node whose answer has no end is not listened to until there is no memory left.
 */
final class Heard extends OutputStream {
  /** Bytes: several times the most that a look tells. */
  static final int MOST = 16 * 1024 * 1024;

  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private boolean tooMuch;

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) throws IOException {
    if (tooMuch || heard.size() + length > MOST) {
      tooMuch = true;
      heard.reset();
      throw new IOException("more than " + MOST + " bytes");
    }
    heard.write(bytes, from, length);
  }

  synchronized boolean tooMuch() {
    return tooMuch;
  }

  synchronized int size() {
    return heard.size();
  }

  synchronized byte[] bytes() {
    return heard.toByteArray();
  }
}
