package io.stoker.agent.spawn;

import java.nio.file.Path;

/** Blocks of a disk that are set aside for a file before it is written. */
public final class Room {
  private Room() {}

  /**
   * Sets some aside beyond what a file holds, whose size stays as it is: what is written there
   * finds room on a disk that is full.
   *
   * @param from first byte
   * @return whether it was done; a file system may not know how, or have none left
   */
  public static boolean ahead(Path file, long from, long bytes) {
    int descriptor = Libc.open(Texts.one(file.toString()), Libc.WRITE_CLOSE_ON_EXEC);
    if (descriptor < 0) {
      return false;
    }
    try {
      return Libc.fallocate(descriptor, Libc.KEEP_SIZE, from, bytes) == 0;
    } finally {
      Libc.close(descriptor);
    }
  }
}
