package io.stoker.agent.spawn;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;

/**
 * Adopts processes whose parent has gone: it is their parent then, sees them, and learns their exit
 * codes.
 */
public final class Subreaper {
  private static final int SIGNALLED = 128;

  private Subreaper() {}

  /**
   * From now on this process, and not init, becomes the parent of what its descendants leave
   * behind.
   *
   * @throws IOException if the kernel refuses
   */
  public static void adopt() throws IOException {
    if (Libc.prctl(Libc.SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
      throw new IOException("orphans cannot be adopted: " + error(Native.getLastError()));
    }
  }

  /** The exit code of a child that has ended, 128 + signal if killed; empty if it is none. */
  public static OptionalInt exitCode(long pid) {
    byte[] status = new byte[Integer.BYTES];
    if (Libc.waitpid(Math.toIntExact(pid), status, Libc.NO_HANG) != pid) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(
        exitCode(ByteBuffer.wrap(status).order(ByteOrder.nativeOrder()).getInt()));
  }

  /** The same of a status as the kernel gives it. */
  public static int exitCode(int status) {
    int signal = status & 0x7f;
    return signal == 0 ? status >> 8 & 0xff : SIGNALLED + signal;
  }

  /**
   * Whether this process has adopted nobody who lives. The kernel gives orphans to a process's
   * first thread, and no other thread's children are listed with it; Java code runs on others. An
   * empty list is exact, however much goes on meanwhile; false may also mean "not known".
   */
  static boolean none() {
    long self = ProcessHandle.current().pid();
    try (FileInputStream in =
        new FileInputStream("/proc/" + self + "/task/" + self + "/children")) {
      return in.read() < 0;
    } catch (IOException e) {
      return false;
    }
  }

  static String error(int code) {
    return new Pointer(Libc.strerror(code)).getString(0);
  }
}
