package io.stoker.e2e;

import java.nio.file.Files;
import java.nio.file.Path;

/** The source tree that the tests run in. */
public final class Checkout {
  private Checkout() {}

  /** The repository's root, found upwards from the working folder. */
  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("examples"))
        || !Files.isDirectory(folder.resolve("e2e"))) {
      Path above = folder.getParent();
      if (above == null) {
        throw new IllegalStateException(
            "the tests run inside a checkout, and " + Path.of("").toAbsolutePath() + " is in none");
      }
      folder = above;
    }
    return folder;
  }

  /** The example programs, data and clients. */
  public static Path examples() {
    return root().resolve("examples");
  }
}
