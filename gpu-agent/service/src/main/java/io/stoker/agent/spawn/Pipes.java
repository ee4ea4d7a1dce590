package io.stoker.agent.spawn;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;

/** Makes named pipes. */
public final class Pipes {
  private static final int MODE = 0600;

  private Pipes() {}

  /** Makes one where there is nothing yet. */
  public static void make(Path path) throws IOException {
    if (Libc.mkfifo(Texts.one(path.toString()), MODE) != 0) {
      throw new IOException(
          "pipe " + path + " cannot be made: " + Subreaper.error(Native.getLastError()));
    }
  }
}
