package io.stoker.agent.supervise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;

/**
 * When jobs must be gone, as the watchdog and the spawner read it: hundredths of a second of
 * CLOCK_BOOTTIME, then the boot for which that means anything.
 *
 * <p>It is a link to one of two files of a fixed length: the other one is written over, where it
 * lies, and then linked in its place. So it moves at once or not at all, and on a full disk as on
 * any other.
 */
public final class DeadlineFile {
  private static final int MS_PER_HUNDREDTH = 10;
  private static final int LENGTH = 128;

  private final Path file;
  private final Path fresh;
  private final List<Path> places;
  private final String bootId;

  public DeadlineFile(Path data, String bootId) {
    this.file = data.resolve("deadline");
    this.fresh = data.resolve("deadline.new");
    this.places = List.of(data.resolve("deadline.a"), data.resolve("deadline.b"));
    this.bootId = bootId;
  }

  /** Moves the deadline, at once or not at all. */
  public void write(long bootMs) throws IOException {
    byte[] text =
        ((bootMs / MS_PER_HUNDREDTH) + "\n" + bootId + "\n").getBytes(StandardCharsets.US_ASCII);
    ByteBuffer padded = ByteBuffer.allocate(LENGTH).put(text);
    while (padded.hasRemaining()) {
      padded.put((byte) '\n');
    }
    padded.flip();
    try {
      overwrite(padded.duplicate());
    } catch (IOException | UnsupportedOperationException e) {
      replace(padded); // a file system without links, or one of the two was deleted
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void overwrite(ByteBuffer text) throws IOException {
    Path spare = places.get(inUse(places.get(0)) ? 1 : 0);
    try (FileChannel out =
        FileChannel.open(spare, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (text.hasRemaining()) {
        out.write(text);
      }
    }
    Files.deleteIfExists(fresh);
    Files.createLink(fresh, spare);
  }

  private boolean inUse(Path place) throws IOException {
    return Files.exists(file) && Files.exists(place) && Files.isSameFile(file, place);
  }

  private void replace(ByteBuffer text) throws IOException {
    Files.deleteIfExists(fresh);
    Files.write(fresh, text.array());
  }

  /** The deadline in ms of CLOCK_BOOTTIME; empty if none was set on this boot. */
  public OptionalLong read() throws IOException {
    try {
      String[] lines = Files.readString(file, StandardCharsets.ISO_8859_1).split("\n");
      return lines.length == 2 && lines[1].equals(bootId) && lines[0].matches("[0-9]{1,16}")
          ? OptionalLong.of(Long.parseLong(lines[0]) * MS_PER_HUNDREDTH)
          : OptionalLong.empty();
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    }
  }
}
