package io.stoker.agent.lease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where an agent sits: a data folder on one boot of a machine. The lock in that folder lets one
 * agent at a time have it, so whoever says hello from the same seat is the successor of who said it
 * before. A copy of the folder, here or elsewhere, is another seat.
 *
 * @param name boot id, file system and inode of the folder
 * @param machine the machine's name, for people; null if it has none
 */
public record Seat(String name, String machine) {
  private static final Path MACHINE = Path.of("/proc/sys/kernel/hostname");

  /**
   * The seat of an agent that has the lock of its data folder.
   *
   * @throws IOException if the folder cannot be looked at
   */
  public static Seat of(Path data, String bootId) throws IOException {
    Map<String, Object> folder = Files.readAttributes(data, "unix:dev,ino");
    String name = "%s-%s-%s".formatted(bootId, folder.get("dev"), folder.get("ino"));
    return new Seat(name, Files.isReadable(MACHINE) ? Files.readString(MACHINE).strip() : null);
  }
}
