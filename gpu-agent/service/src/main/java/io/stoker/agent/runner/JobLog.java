package io.stoker.agent.runner;

import io.stoker.agent.report.LogSink;
import io.stoker.agent.secret.Masks;
import io.stoker.common.message.LogChunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Cuts a run's two outputs into numbered chunks, up to the cap; goes on where an earlier agent was.
 * A line that is not finished yet is held back until the next look, then sent as it is.
 */
final class JobLog {
  private static final Logger LOG = Logger.getLogger(JobLog.class);
  private static final int MAX_CHUNK = 64 * 1024;
  private static final String STDOUT = "stdout";
  private static final String STDERR = "stderr";

  private final LogChunk.Source source;
  private final long cap;
  private final LogSink sink;
  private final LongSupplier wallMs;
  private final LogCursor book;
  private final Held out;
  private final Held err;
  private long sent;
  private boolean truncated;

  /** What of one stream has been read and not sent. */
  private static final class Held {
    private final String stream;
    private byte[] bytes = new byte[0];
    private boolean seenBefore;

    /** Bytes at the stream's beginning that an earlier agent has sent. */
    private long skip;

    Held(String stream, long skip) {
      this.stream = stream;
      this.skip = skip;
    }

    private boolean error() {
      return stream.equals(STDERR);
    }
  }

  /**
   * @param cap bytes of both streams together
   * @param book where an earlier agent was
   */
  JobLog(LogChunk.Source source, long cap, LogSink sink, LongSupplier wallMs, LogCursor book) {
    this.source = source;
    this.cap = cap;
    this.sink = sink;
    this.wallMs = wallMs;
    this.book = book;
    this.out = new Held(STDOUT, book.cut(false));
    this.err = new Held(STDERR, book.cut(true));
    this.sent = book.cut(false) + book.cut(true);
  }

  /**
   * Sends those chunks again of which an earlier agent did not learn that the broker has them.
   *
   * @param folder of the run
   * @param masks what nobody is to read of it
   */
  void again(Path folder, Masks masks) {
    for (LogCursor.Cut cut : book.open()) {
      truncated = cut.truncated(); // from its first on, all say so
      String stream = cut.error() ? STDERR : STDOUT;
      String text = read(folder.resolve(stream), cut, masks);
      sink.send(chunk(stream, cut.n(), text, false), () -> book.taken(cut.n()));
    }
  }

  /** Of a file that its job has cut short: what is there. */
  private static String read(Path file, LogCursor.Cut cut, Masks masks) {
    // A secret may begin before it, and end behind it.
    int before = (int) Math.min(cut.from(), masks.longest());
    ByteBuffer bytes = ByteBuffer.allocate(before + cut.length() + masks.longest());
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      int length = 0;
      while (bytes.hasRemaining() && length >= 0) {
        length = in.read(bytes, cut.from() - before + bytes.position());
      }
    } catch (IOException e) {
      LOG.warnf("chunk %d of %s cannot be sent again: %s", cut.n(), file, e);
    }
    masks.hide(bytes.array(), bytes.position(), false);
    int length = Math.clamp(bytes.position() - before, 0, cut.length());
    return new String(bytes.array(), before, length, StandardCharsets.UTF_8);
  }

  void stdout(byte[] bytes, int length) {
    take(out, bytes, length);
  }

  void stderr(byte[] bytes, int length) {
    take(err, bytes, length);
  }

  private void take(Held held, byte[] bytes, int read) {
    int from = (int) Math.min(read, held.skip);
    held.skip -= from;
    int length = read - from;
    if (truncated || length == 0) {
      return;
    }
    // An earlier agent may have sent more, by a larger cap.
    int room = Math.clamp(cap - sent - out.bytes.length - err.bytes.length, 0, length);
    truncated = room < length;
    int before = held.bytes.length;
    held.bytes = Arrays.copyOf(held.bytes, before + room);
    System.arraycopy(bytes, from, held.bytes, before, room);
    held.seenBefore = false;
    while (held.bytes.length > MAX_CHUNK) {
      send(held, cut(held, MAX_CHUNK));
    }
  }

  /** Called at each look: sends whole lines, and what had been waiting for its newline. */
  void flush() {
    flush(out);
    flush(err);
    book.note();
  }

  private void flush(Held held) {
    int end = held.seenBefore ? character(held) : newline(held.bytes, held.bytes.length);
    if (end > 0) {
      send(held, end);
    }
    held.seenBefore = true;
  }

  /** Whether nothing was ever printed; members of gangs count as loud, of which each has a log. */
  boolean silent() {
    return source.rank() == null
        && sent == 0
        && out.bytes.length + err.bytes.length == 0
        && !truncated
        && book.isEmpty();
  }

  /** Ends without a chunk: nothing was printed, and whoever tells of the end tells that, too. */
  void endSilently() {
    book.close();
  }

  /** Sends the rest; the last chunk says so, even if it is empty. */
  void end() {
    book.close();
    int error = err.bytes.length > 0 ? book.cutAtEnd(true, err.bytes.length, truncated) : -1;
    int rest = book.cutAtEnd(false, out.bytes.length, truncated);
    if (error >= 0) {
      String text = cutOff(err, err.bytes.length);
      sink.send(chunk(STDERR, error, text, false), () -> book.taken(error));
    }
    String text = cutOff(out, out.bytes.length);
    sink.send(chunk(STDOUT, rest, text, true), () -> book.taken(rest));
  }

  private void send(Held held, int end) {
    int number = book.cut(held.error(), end, truncated);
    String text = cutOff(held, end);
    sink.send(chunk(held.stream, number, text, false), () -> book.taken(number));
  }

  private String cutOff(Held held, int end) {
    String text = new String(held.bytes, 0, end, StandardCharsets.UTF_8);
    held.bytes = Arrays.copyOfRange(held.bytes, end, held.bytes.length);
    sent += end;
    return text;
  }

  private LogChunk chunk(String stream, int number, String text, boolean last) {
    return new LogChunk(source, stream, number, wallMs.getAsLong(), text, last, truncated);
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
