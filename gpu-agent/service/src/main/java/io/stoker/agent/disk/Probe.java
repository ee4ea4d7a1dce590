package io.stoker.agent.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a file, to see whether that can be done: space is not all that can be used up. There may
 * be no inode left, or a quota reached, or the disk may have been mounted read-only after an error.
 */
final class Probe {
  private static final byte[] BLOCK = new byte[4096];

  private Probe() {}

  /**
   * Writes one.
   *
   * @throws IOException saying why it cannot be written
   */
  static boolean write(Path data) throws IOException {
    Path file = data.resolve("probe");
    try {
      Files.write(file, BLOCK);
      return true;
    } finally {
      file.toFile().delete();
    }
  }
}
