package io.stoker.agent.journal;

import io.stoker.common.security.OwnFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A small file beside the journal that says whose it is, and how many bytes of it were whole before
 * the last that was written to it. So one that was cut is told from one whose last write was torn,
 * which is all that the death of an agent can tear. It is never forced to disk: it says nothing
 * after the death of the machine, when more may be torn.
 */
final class JournalEnd implements Closeable {
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int BYTES_AT = 128;
  private static final int NUMBER = 2 * Long.BYTES;

  private final FileChannel file;
  private final ByteBuffer number = ByteBuffer.allocateDirect(NUMBER);

  /**
   * What it says.
   *
   * @param id of the journal
   * @param boot of the machine on which it was written
   * @param whole bytes that the journal has at the least, on that boot
   */
  record Said(String id, String boot, long whole) {
    /** Whether so short a journal has been cut. */
    boolean cut(long bytes) throws IOException {
      return bytes < whole && !beforeThisBoot();
    }

    /** Whether the machine was started again since. */
    boolean beforeThisBoot() throws IOException {
      return !boot.equals(bootId());
    }
  }

  /** Begins to say it of a journal. */
  JournalEnd(Path path, String id, long whole) throws IOException {
    file =
        OwnFiles.open(
            path,
            // Written over where it lies, which needs no room on a full disk.
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    String head = CheckedText.line(id + " " + bootId());
    ByteBuffer all = ByteBuffer.allocate(BYTES_AT + NUMBER);
    all.put(head.getBytes(StandardCharsets.ISO_8859_1));
    all.putLong(BYTES_AT, whole).putLong(BYTES_AT + Long.BYTES, ~whole);
    file.write(all.rewind(), 0);
  }

  /** What was said last; empty if nothing was, or it cannot be read. */
  static Optional<Said> read(Path path) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    if (bytes.length < BYTES_AT + NUMBER) {
      return Optional.empty();
    }
    String head = new String(bytes, 0, BYTES_AT, StandardCharsets.ISO_8859_1);
    Optional<String> text = CheckedText.parse(head.substring(0, head.indexOf('\n') + 1));
    ByteBuffer numbers = ByteBuffer.wrap(bytes);
    long whole = numbers.getLong(BYTES_AT);
    boolean sound = numbers.getLong(BYTES_AT + Long.BYTES) == ~whole;
    return text.map(found -> found.split(" "))
        .filter(words -> words.length == 2)
        .map(words -> new Said(words[0], words[1], sound ? whole : 0));
  }

  /** So many bytes of the journal are whole. */
  void whole(long bytes) {
    try {
      number.clear();
      number.putLong(bytes).putLong(~bytes).flip();
      file.write(number, BYTES_AT);
    } catch (IOException e) {
      // A smaller number than could be said is true as well.
    }
  }

  /** Nothing is known of its length, even if the machine dies now. */
  void unknown() throws IOException {
    whole(0);
    file.force(false);
  }

  private static String bootId() throws IOException {
    return Files.readString(BOOT).strip();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
