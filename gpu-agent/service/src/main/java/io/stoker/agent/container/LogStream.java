package io.stoker.agent.container;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One stream of a container's log on its way into its run's file. An engine tells a log from its
 * beginning each time: what the file holds already is compared, and what follows is appended. The
 * file only grows, so positions in it stay what they are.
 *
 * <p>Each reading ends the one before: a reader that is stuck writes nothing when it wakes up.
 */
final class LogStream {
  private static final int BUFFER = 64 * 1024;
  private static final int CLOSED = -1;

  private final Path file;
  private final AtomicLong read = new AtomicLong();
  private int turn;

  LogStream(Path file) {
    this.file = file;
  }

  /** Bytes that all readings together have read; tells whether one still gets on. */
  long read() {
    return read.get();
  }

  /**
   * Reads a log from its beginning and appends what goes on behind what the file holds. From where
   * the log is not what the file holds, nothing is appended. Returns where the first line begins,
   * in bytes of the log, that the file lacks; empty if it lacks none. A log that is shorter than
   * the file counts as one whose beginning the engine has dropped.
   */
  OptionalLong take(InputStream log) throws IOException {
    int mine = nextTurn();
    try (FileChannel out = open()) {
      long held = out.size();
      long at = 0;
      long line = 0;
      boolean same = true;
      byte[] buffer = new byte[BUFFER];
      for (int length = log.read(buffer); length >= 0; length = log.read(buffer)) {
        read.addAndGet(length);
        if (same) {
          int known = (int) Math.clamp(held - at, 0, length);
          int equal = equalBytes(out, at, buffer, known);
          int newline = lastNewline(buffer, equal);
          line = newline < 0 ? line : at + newline + 1;
          same = equal == known;
          if (same && !append(mine, out, buffer, known, length)) {
            return OptionalLong.empty();
          }
        }
        at += length;
      }
      return same || at <= held ? OptionalLong.empty() : OptionalLong.of(line);
    }
  }

  /** Reads a log from its beginning and appends all of it from this byte on, on a new line. */
  void takeFrom(long first, InputStream log) throws IOException {
    int mine = nextTurn();
    try (FileChannel out = open()) {
      if (!endsLine(out)) {
        append(mine, out, new byte[] {'\n'}, 0, 1);
      }
      long at = 0;
      byte[] buffer = new byte[BUFFER];
      for (int length = log.read(buffer); length >= 0; length = log.read(buffer)) {
        read.addAndGet(length);
        append(mine, out, buffer, (int) Math.clamp(first - at, 0, length), length);
        at += length;
      }
    }
  }

  /** Appends a line of the agent's own. */
  void say(String line) throws IOException {
    takeFrom(0, new ByteArrayInputStream((line + "\n").getBytes(StandardCharsets.UTF_8)));
  }

  /** From now on nothing is written. */
  synchronized void close() {
    turn = CLOSED;
  }

  private synchronized int nextTurn() {
    turn = turn == CLOSED ? CLOSED : turn + 1;
    return turn;
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Returns whether it is still this reader's turn. */
  private synchronized boolean append(int mine, FileChannel out, byte[] bytes, int from, int to)
      throws IOException {
    if (mine != turn || mine == CLOSED) {
      return false;
    }
    ByteBuffer rest = ByteBuffer.wrap(bytes, from, to - from);
    while (rest.hasRemaining()) {
      out.write(rest, out.size());
    }
    return true;
  }

  private static int equalBytes(FileChannel held, long at, byte[] bytes, int length)
      throws IOException {
    ByteBuffer there = ByteBuffer.allocate(length);
    while (there.hasRemaining() && held.read(there, at + there.position()) >= 0) {
      // reads on
    }
    there.flip();
    int mismatch = there.mismatch(ByteBuffer.wrap(bytes, 0, length));
    return mismatch < 0 ? length : mismatch;
  }

  private static int lastNewline(byte[] bytes, int length) {
    int at = length - 1;
    while (at >= 0 && bytes[at] != '\n') {
      at--;
    }
    return at;
  }

  private static boolean endsLine(FileChannel held) throws IOException {
    ByteBuffer last = ByteBuffer.allocate(1);
    return held.size() == 0 || held.read(last, held.size() - 1) < 1 || last.get(0) == '\n';
  }
}
