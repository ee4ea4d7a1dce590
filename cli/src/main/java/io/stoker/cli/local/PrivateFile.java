package io.stoker.cli.local;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;

/**
 * Writes files as a whole: readers see the old content or the new one, never a part, also after a
 * power failure, and several may write the same one at once. Only their owner may read them, who
 * stays the same when root writes one.
 */
public final class PrivateFile {
  private PrivateFile() {}

  public static void write(Path path, byte[] content) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    Path next = Files.createTempFile(folder, path.getFileName() + ".", ".new");
    try {
      // No channel: one is closed where its thread has been interrupted.
      try (FileOutputStream to = new FileOutputStream(next.toFile())) {
        to.write(content);
        to.getFD().sync();
      }
      leaveToTheOwner(path, next);
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    } catch (ClosedByInterruptException e) {
      // The kernel does it a little later.
    }
  }

  private static void leaveToTheOwner(Path path, Path next) throws IOException {
    if (Files.notExists(path)) {
      return;
    }
    UserPrincipal owner = Files.getOwner(path);
    if (owner.equals(Files.getOwner(next))) {
      return;
    }
    try {
      for (String one : List.of("unix:gid", "unix:uid")) {
        Files.setAttribute(next, one, Files.getAttribute(path, one));
      }
    } catch (FileSystemException e) {
      throw new FileSystemException(
          path.toString(), null, "it belongs to %s, who alone may change it".formatted(owner));
    }
  }
}
