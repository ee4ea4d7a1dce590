package io.stoker.agent.supervise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;

/**
 * When jobs must be gone, as the watchdog and the spawner read it: hundredths of a second of
 * CLOCK_BOOTTIME, then the boot for which that means anything.
 */
public final class DeadlineFile {
  private static final int MS_PER_HUNDREDTH = 10;

  private final Path file;
  private final String bootId;

  public DeadlineFile(Path data, String bootId) {
    this.file = data.resolve("deadline");
    this.bootId = bootId;
  }

  /** Moves the deadline, at once or not at all. */
  public void write(long bootMs) throws IOException {
    Path fresh = file.resolveSibling("deadline.new");
    Files.writeString(fresh, (bootMs / MS_PER_HUNDREDTH) + "\n" + bootId + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The deadline in ms of CLOCK_BOOTTIME; empty if none was set on this boot. */
  public OptionalLong read() throws IOException {
    try {
      String[] lines = Files.readString(file).split("\n");
      return lines.length == 2 && lines[1].equals(bootId)
          ? OptionalLong.of(Long.parseLong(lines[0]) * MS_PER_HUNDREDTH)
          : OptionalLong.empty();
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    }
  }
}
