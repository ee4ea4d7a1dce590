package io.stoker.agent.runner;

import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Place;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Cuts a run's two outputs into numbered chunks, up to the cap. A line that is not finished yet is
 * held back until the next look, then sent as it is.
 */
final class JobLog {
  private static final int MAX_CHUNK = 64 * 1024;

  private final Place place;
  private final long cap;
  private final LogSink sink;
  private final LongSupplier wallMs;
  private final Held out = new Held("stdout");
  private final Held err = new Held("stderr");
  private long sent;
  private int number;
  private boolean truncated;

  /** What of one stream has been read and not sent. */
  private static final class Held {
    private final String stream;
    private byte[] bytes = new byte[0];
    private boolean seenBefore;

    Held(String stream) {
      this.stream = stream;
    }
  }

  /**
   * @param cap bytes of both streams together
   */
  JobLog(Place place, long cap, LogSink sink, LongSupplier wallMs) {
    this.place = place;
    this.cap = cap;
    this.sink = sink;
    this.wallMs = wallMs;
  }

  void stdout(byte[] bytes, int length) {
    take(out, bytes, length);
  }

  void stderr(byte[] bytes, int length) {
    take(err, bytes, length);
  }

  private void take(Held held, byte[] bytes, int length) {
    if (truncated) {
      return;
    }
    int room = (int) Math.min(length, cap - sent - out.bytes.length - err.bytes.length);
    truncated = room < length;
    int before = held.bytes.length;
    held.bytes = Arrays.copyOf(held.bytes, before + room);
    System.arraycopy(bytes, 0, held.bytes, before, room);
    held.seenBefore = false;
    while (held.bytes.length > MAX_CHUNK) {
      send(held, cut(held, MAX_CHUNK), false);
    }
  }

  /** Called at each look: sends whole lines, and what had been waiting for its newline. */
  void flush() {
    flush(out);
    flush(err);
  }

  private void flush(Held held) {
    int end = held.seenBefore ? character(held) : newline(held.bytes, held.bytes.length);
    if (end > 0) {
      send(held, end, false);
    }
    held.seenBefore = true;
  }

  /** Sends the rest; the last chunk says so, even if it is empty. */
  void end() {
    if (err.bytes.length > 0) {
      send(err, err.bytes.length, false);
    }
    send(out, out.bytes.length, true);
  }

  private void send(Held held, int end, boolean last) {
    String text = new String(held.bytes, 0, end, StandardCharsets.UTF_8);
    held.bytes = Arrays.copyOfRange(held.bytes, end, held.bytes.length);
    sent += end;
    sink.send(
        new LogChunk(
            place.job(),
            place.attempt(),
            place.request(),
            held.stream,
            number++,
            wallMs.getAsLong(),
            text,
            last,
            truncated));
  }

  /** Where to cut what is longer than a chunk: after its last newline, else between characters. */
  private static int cut(Held held, int limit) {
    int line = newline(held.bytes, limit);
    return line > 0 ? line : wholeCharacters(held.bytes, limit);
  }

  private static int character(Held held) {
    return wholeCharacters(held.bytes, held.bytes.length);
  }

  private static int newline(byte[] bytes, int limit) {
    int at = limit;
    while (at > 0 && bytes[at - 1] != '\n') {
      at--;
    }
    return at;
  }

  /** The longest prefix that does not end inside a UTF-8 character; all of it if it is no UTF-8. */
  private static int wholeCharacters(byte[] bytes, int limit) {
    int at = limit;
    while (at > 0 && limit - at < 3 && (bytes[at - 1] & 0xC0) == 0x80) {
      at--;
    }
    if (at == 0) {
      return limit;
    }
    int lead = bytes[at - 1] & 0xFF;
    int needs = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return limit - (at - 1) < needs ? at - 1 : limit;
  }
}
