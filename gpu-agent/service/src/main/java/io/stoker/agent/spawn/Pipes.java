package io.stoker.agent.spawn;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Makes named pipes. */
public final class Pipes {
  private static final int MODE = 0600;

  /** Of a {@code struct pollfd}, whose descriptor is 0, and where it says what was found. */
  private static final int POLL_SIZE = 8;

  private static final int POLL_FOUND = 6;

  /** {@code POLLHUP}, which is always looked for. */
  private static final int HUNG_UP = 0x10;

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

  /** Whether nobody can write to this process's stdin any more, though not all of it is read. */
  static boolean stdinIsOver() {
    ByteBuffer one = ByteBuffer.allocate(POLL_SIZE).order(ByteOrder.nativeOrder());
    return Libc.poll(one.array(), 1, 0) == 1 && (one.getShort(POLL_FOUND) & HUNG_UP) != 0;
  }
}
