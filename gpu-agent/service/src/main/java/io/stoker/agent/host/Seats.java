package io.stoker.agent.host;

import io.stoker.agent.lease.Seat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Finds out where an agent sits. */
final class Seats {
  private static final Path MACHINE = Path.of("/proc/sys/kernel/hostname");

  private Seats() {}

  /**
   * The seat of an agent that has the lock of its data folder.
   *
   * @throws IOException if the folder cannot be looked at
   */
  static Seat of(Path data, String bootId) throws IOException {
    Map<String, Object> folder = Files.readAttributes(data, "unix:dev,ino");
    String name = "%s-%s-%s".formatted(bootId, folder.get("dev"), folder.get("ino"));
    return new Seat(name, Files.isReadable(MACHINE) ? Files.readString(MACHINE).strip() : null);
  }
}
