package io.stoker.agent.spawn;

import java.io.File;

/** Lists the open file descriptors of this process. */
final class Descriptors {
  private static final int STANDARD = 2;

  private Descriptors() {}

  /** What is open now, but for the standard ones, no process that comes from this one has. */
  static void keep() {
    String[] open = new File("/proc/self/fd").list();
    for (String descriptor : open == null ? new String[0] : open) {
      int number = Integer.parseInt(descriptor);
      if (number > STANDARD) {
        Libc.fcntl(number, Libc.SET_DESCRIPTOR_FLAGS, Libc.CLOSE_ON_EXEC);
      }
    }
  }
}
