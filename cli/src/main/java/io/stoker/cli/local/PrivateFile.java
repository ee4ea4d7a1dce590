package io.stoker.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Writes files as a whole: readers see the old content or the new one, never a part. Only their
 * owner may read them.
 */
public final class PrivateFile {
  private PrivateFile() {}

  public static void write(Path path, byte[] content) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".new");
    Files.deleteIfExists(next);
    if (next.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.write(next, content);
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
