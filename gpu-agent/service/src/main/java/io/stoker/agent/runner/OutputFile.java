package io.stoker.agent.runner;

import io.stoker.agent.secret.Masks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;

/** Reads what a job has written since the last look. */
final class OutputFile {
  private static final Logger LOG = Logger.getLogger(OutputFile.class);

  /** Takes what was read; the array is used again. */
  interface Reader {
    void accept(byte[] bytes, int length);
  }

  private final Path file;
  private final Reader reader;
  private final Masks masks;
  private long position;
  private long last = Long.MAX_VALUE;
  private Optional<String> problem = Optional.empty();

  /**
   * @param masks what nobody is to read
   */
  OutputFile(Path file, Masks masks, Reader reader) {
    this.file = file;
    this.masks = masks;
    this.reader = reader;
  }

  /** What is written from now on is not read: who should have written it has ended. */
  void stop() {
    last = Math.min(last, file.toFile().length());
  }

  /** Another process writes to it. */
  void goOn() {
    last = Long.MAX_VALUE;
  }

  /** Why it could not be read at the last look, if so: the next one tries it again. */
  Optional<String> problem() {
    return problem;
  }

  /**
   * Reads on.
   *
   * @param buffer to read by
   * @param most bytes at this look
   * @param room whether what was read may be followed by more, asked before each piece
   * @return whether all was read that is there, or can be now
   */
  boolean look(byte[] buffer, long most, BooleanSupplier room) {
    try {
      boolean all = read(buffer, most, room);
      problem = Optional.empty();
      return all;
    } catch (ClosedByInterruptException e) {
      throw new UncheckedIOException(e); // The agent stops: the next one reads it.
    } catch (IOException | RuntimeException e) {
      // Its run ends all the same, and must not be kept from being told so.
      if (problem.isEmpty()) {
        LOG.warnf("%s cannot be read from byte %d on, and is tried again: %s", file, position, e);
      }
      problem = Optional.of(e.toString());
      return true;
    }
  }

  private boolean read(byte[] buffer, long most, BooleanSupplier room) throws IOException {
    if (last <= position || file.toFile().length() <= position) {
      return true;
    }
    try (FileChannel in =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      long end = Math.min(last, position + most);
      while (position < end && room.getAsBoolean()) {
        int piece = (int) Math.min(buffer.length, last - position);
        int length = in.read(ByteBuffer.wrap(buffer, 0, piece), position);
        int shown = length <= 0 ? 0 : masks.hide(buffer, length, position + length < last);
        if (shown == 0 && length < buffer.length) {
          return true; // or it is all the beginning of a secret, which is read again
        }
        shown = shown == 0 ? length : shown;
        position += shown;
        reader.accept(buffer, shown);
      }
      return Math.min(last, in.size()) <= position;
    } catch (NoSuchFileException e) {
      return true; // Removed by the job itself: there is no more to read.
    }
  }
}
