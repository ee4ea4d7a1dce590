package io.stoker.agent.supervise;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/** Puts a shell script of this program where a shell can read it. */
public final class Scripts {
  private Scripts() {}

  /**
   * Writes a resource into a folder, replacing an older version as a whole: a shell that still
   * reads that one goes on with it.
   *
   * @param owner class beside which the resource lies
   */
  public static Path unpack(Class<?> owner, String name, Path folder) throws IOException {
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("resource " + name + " is missing beside " + owner.getName());
      }
      return write(folder.resolve(name), new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Writes a file as a whole. One that holds just that is left alone: that needs no room on a disk
   * that is full.
   */
  public static Path write(Path file, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (Files.isRegularFile(file) && Arrays.equals(Files.readAllBytes(file), bytes)) {
      return file;
    }
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.write(fresh, bytes);
    return Files.move(
        fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
