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

  /**
   * How many bytes one holds, that this process has open already: the kernel gives a user who has
   * many of them smaller ones.
   */
  public static int capacity(Path path) throws IOException {
    int descriptor = Libc.open(Texts.one(path.toString()), Libc.WRITE_CLOSE_ON_EXEC);
    int bytes = descriptor < 0 ? -1 : Libc.fcntl(descriptor, Libc.GET_PIPE_SIZE, 0);
    int error = Native.getLastError();
    if (descriptor >= 0) {
      Libc.close(descriptor);
    }
    if (bytes < 0) {
      throw new IOException(
          "the size of pipe " + path + " cannot be asked: " + Subreaper.error(error));
    }
    return bytes;
  }
}
