package io.stoker.agent.spawn;

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
import java.util.regex.Pattern;

/**
 * The time by which jobs must be gone, as the watchdog and the spawner read it: hundredths of a
 * second of CLOCK_BOOTTIME, the boot for which that means anything, and the number again. If the
 * two numbers are not the same, one of them was changed, and neither is believed. A watchdog of the
 * build before reads the first one alone; an agent of that build wrote no second one.
 *
 * <p>It is a link to one of two files of a fixed length: the other one is written over, where it
 * lies, and then linked in its place. So it moves at once or not at all, and on a full disk as on
 * any other. Whatever either of the two says is a time up to which a lease has allowed jobs to run:
 * if the one that counts is damaged, the other one stands in for it.
 */
public final class DeadlineFile {
  private static final int MS_PER_HUNDREDTH = 10;
  private static final int LENGTH = 128;
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,15}");

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
    long number = bootMs / MS_PER_HUNDREDTH;
    String text = number + "\n" + bootId + "\n" + number + "\n";
    ByteBuffer padded = ByteBuffer.allocate(LENGTH).put(text.getBytes(StandardCharsets.US_ASCII));
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

  /**
   * The deadline in ms of CLOCK_BOOTTIME, or an earlier one if it is damaged; empty if none was set
   * on this boot, or none can be read.
   */
  public OptionalLong read() throws IOException {
    try {
      OptionalLong said = parse(file);
      return said.isPresent() ? said : latest();
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    }
  }

  private OptionalLong latest() throws IOException {
    long latest = -1;
    for (Path place : places) {
      try {
        latest = Math.max(latest, parse(place).orElse(-1));
      } catch (NoSuchFileException e) {
        // The file system has no links, or this is the first deadline.
      }
    }
    return latest < 0 ? OptionalLong.empty() : OptionalLong.of(latest);
  }

  private OptionalLong parse(Path path) throws IOException {
    String[] lines = Files.readString(path, StandardCharsets.ISO_8859_1).split("\n");
    boolean sound =
        (lines.length == 2 || lines.length == 3 && lines[2].equals(lines[0]))
            && lines[1].equals(bootId)
            && NUMBER.matcher(lines[0]).matches();
    return sound
        ? OptionalLong.of(Long.parseLong(lines[0]) * MS_PER_HUNDREDTH)
        : OptionalLong.empty();
  }
}
