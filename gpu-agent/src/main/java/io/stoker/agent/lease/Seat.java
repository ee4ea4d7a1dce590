package io.stoker.agent.lease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

  /**
   * Notes in a journal's folder that it is used here. One that was copied on this boot names
   * processes that are another agent's: whoever took them for his own would end them.
   *
   * @param journal a folder whose lock this agent has
   * @param live how many attempts have not ended, by that journal
   * @throws IOException if it is a copy and there are any
   */
  public static void claim(Path journal, String bootId, int live) throws IOException {
    Path note = journal.resolve("seat");
    String here = bootId + " " + Files.getAttribute(journal, "unix:ino");
    String before = Files.exists(note) ? Files.readString(note).strip() : here;
    boolean copied = before.startsWith(bootId + " ") && !before.equals(here);
    if (copied && live > 0) {
      throw new IOException(
          "%s is a copy: the processes of %d attempt(s) that it names may be another agent's. Give this agent an empty data folder and a stoker.agent.host of its own; if it is the same agent and the folder was moved, delete %s"
              .formatted(journal, live, note));
    }
    if (!before.equals(here) || !Files.exists(note)) {
      Path written = Files.writeString(journal.resolve("seat.new"), here + "\n");
      Files.move(written, note, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
