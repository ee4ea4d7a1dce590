package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jboss.logging.Logger;

/**
 * Remembers how a run's output was cut into chunks, in the file {@code chunks} of its folder, so
 * that the next agent goes on where this one was: with the next number, behind the last byte that
 * was sent, and with those chunks once more, cut just as before, that the broker may not have.
 * Readers tell the second of a chunk by its number.
 *
 * <p>Each cut is written before its chunk is sent. A run that ends before its first look leaves no
 * such file: what is cut at the end follows from what was cut before and from its files, which
 * nobody writes to any more.
 *
 * <p>Lines: {@code @ <n> <bytes of stdout> <bytes of stderr>} where the first of the cuts begins,
 * if not at 0; {@code o <bytes>} or {@code e <bytes>} a cut of stdout or stderr, with {@code t}
 * behind it if it says that the cap was reached; {@code = <n>} the broker has all before this
 * number. A line counts with its newline.
 */
final class LogCursor {
  private static final Logger LOG = Logger.getLogger(LogCursor.class);
  private static final String FILE = "chunks";
  private static final long LARGE = 64 * 1024;

  private final Path file;

  /** Cuts that the broker may not have, by number. */
  private final NavigableMap<Integer, Cut> open = new TreeMap<>();

  private int next;
  private long stdout;
  private long stderr;
  private int noted;
  private boolean broken;

  /** Done once the broker has all chunks. */
  private final List<Runnable> waiting = new ArrayList<>();

  private FileChannel channel;

  /**
   * A chunk.
   *
   * @param from its first byte in its stream's file
   * @param truncated whether it says that the cap was reached
   */
  record Cut(int n, boolean error, long from, int length, boolean truncated) {
    private String line() {
      return (error ? "e " : "o ") + length + (truncated ? " t" : "") + "\n";
    }
  }

  private LogCursor(Path file) {
    this.file = file;
  }

  /** That of a run, as an earlier agent left it. */
  static LogCursor open(Path folder) {
    LogCursor book = new LogCursor(folder.resolve(FILE));
    if (book.file.toFile().length() > 0) {
      book.read();
    }
    return book;
  }

  private void read() {
    try {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1);
      for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
        read(line.split(" "));
      }
      noted = open.isEmpty() ? next : open.firstKey();
      if (!text.endsWith("\n")) {
        rewrite();
      }
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      LOG.warnf("%s cannot be read, so output is sent from its beginning: %s", file, e);
      open.clear();
      next = 0;
      stdout = 0;
      stderr = 0;
      broken = true;
    }
  }

  private void read(String[] words) {
    switch (words[0]) {
      case "@" -> {
        next = Integer.parseInt(words[1]);
        stdout = Long.parseLong(words[2]);
        stderr = Long.parseLong(words[3]);
      }
      case "=" -> open.headMap(Integer.parseInt(words[1])).clear();
      case "" -> {}
      default -> add(words[0].equals("e"), Integer.parseInt(words[1]), words.length > 2);
    }
  }

  private Cut add(boolean error, int length, boolean truncated) {
    Cut cut = new Cut(next++, error, error ? stderr : stdout, length, truncated);
    open.put(cut.n(), cut);
    if (error) {
      stderr += length;
    } else {
      stdout += length;
    }
    return cut;
  }

  /** Bytes of a stream that have been cut. */
  synchronized long cut(boolean error) {
    return error ? stderr : stdout;
  }

  /** Whether nothing was cut yet. */
  synchronized boolean isEmpty() {
    return next == 0;
  }

  /** Chunks that the broker may not have, in order. */
  synchronized List<Cut> open() {
    return new ArrayList<>(open.values());
  }

  /** Writes a cut down that is about to be sent. Returns its number. */
  synchronized int cut(boolean error, int length, boolean truncated) {
    Cut cut = add(error, length, truncated);
    append(cut.line());
    return cut.n();
  }

  /**
   * Cuts one of the last two chunks, when the run has ended. That is not written down: whoever
   * reads its files again cuts them just so. Returns its number.
   */
  synchronized int cutAtEnd(boolean error, int length, boolean truncated) {
    return add(error, length, truncated).n();
  }

  /** The broker has it, or it is given up; from any thread. */
  void taken(int n) {
    List<Runnable> due = List.of();
    synchronized (this) {
      open.remove(n);
      if (open.isEmpty()) {
        due = List.copyOf(waiting);
        waiting.clear();
      }
    }
    due.forEach(Runnable::run);
  }

  /** Does it once the broker has all that has been cut; of a run that has ended. */
  void onceTaken(Runnable then) {
    synchronized (this) {
      if (!open.isEmpty()) {
        waiting.add(then);
        return;
      }
    }
    then.run();
  }

  /** Writes down what the broker has got since the last time. */
  synchronized void note() {
    int before = open.isEmpty() ? next : open.firstKey();
    if (before > noted) {
      noted = before;
      append("= " + before + "\n");
    }
  }

  private void append(String line) {
    if (broken) {
      return;
    }
    try {
      if (channel == null) {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.ISO_8859_1)));
      if (channel.size() > LARGE && open.size() < LARGE / Long.SIZE) {
        rewrite();
      }
    } catch (IOException e) {
      broken = true;
      LOG.warnf("%s cannot be written: another agent would send other chunks: %s", file, e);
    }
  }

  /** Forgets what the broker has. */
  private void rewrite() throws IOException {
    close();
    long out = stdout;
    long err = stderr;
    StringBuilder text = new StringBuilder();
    for (Cut cut : open.values()) {
      out -= cut.error() ? 0 : cut.length();
      err -= cut.error() ? cut.length() : 0;
      text.append(cut.line());
    }
    Path fresh = file.resolveSibling(FILE + ".new");
    int first = open.isEmpty() ? next : open.firstKey();
    Files.writeString(fresh, "@ " + first + " " + out + " " + err + "\n" + text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  synchronized void close() {
    try {
      if (channel != null) {
        channel.close();
        channel = null;
      }
    } catch (IOException e) {
      LOG.debugf(e, "%s cannot be closed", file);
    }
  }
}
