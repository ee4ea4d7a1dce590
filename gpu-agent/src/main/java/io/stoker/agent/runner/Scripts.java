package io.stoker.agent.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

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
    Path target = folder.resolve(name);
    Path fresh = folder.resolve(name + ".new");
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("resource " + name + " is missing beside " + owner.getName());
      }
      Files.copy(in, fresh, StandardCopyOption.REPLACE_EXISTING);
    }
    return Files.move(
        fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
