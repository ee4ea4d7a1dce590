package io.stoker.agent.spawn;

import com.sun.jna.Native;
import java.io.IOException;

/** Limits what this process shows to others of its user, and what those that it starts may gain. */
public final class Rights {
  private Rights() {}

  /**
   * Keeps this process's environment and memory from others of its user, jobs among them, unless
   * they are root. It has no core dumps then, and a debugger needs root.
   */
  public static void hide() {
    Libc.prctl(Libc.SET_DUMPABLE, 0, 0, 0, 0);
  }

  /**
   * From now on nobody whom this thread starts gains rights by what he executes: no setuid program
   * makes him another user.
   *
   * @throws IOException if the kernel refuses
   */
  static void gainNone() throws IOException {
    if (Libc.prctl(Libc.SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0) {
      throw new IOException(
          "jobs cannot be kept from new privileges: " + Subreaper.error(Native.getLastError()));
    }
  }
}
