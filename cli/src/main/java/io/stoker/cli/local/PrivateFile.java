package io.stoker.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Writes files as a whole: readers see the old content or the new one, never a part, and several
 * may write the same one at once. Only their owner may read them.
 */
public final class PrivateFile {
  private PrivateFile() {}

  public static void write(Path path, byte[] content) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    Path next = Files.createTempFile(folder, path.getFileName() + ".", ".new");
    try {
      Files.write(next, content);
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
  }
}
