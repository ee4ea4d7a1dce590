package io.stoker.agent.spawn;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

/** Waits for children to end. */
final class Ended {
  /** Of a {@code siginfo_t}, and where its fields are on 64-bit Linux. */
  private static final int SIZE = 128;

  private static final int CODE = 8;
  private static final int PID = 16;
  private static final int STATUS = 24;
  private static final int CLD_EXITED = 1;
  private static final int SIGNALLED = 128;

  private final Memory info = new Memory(SIZE);

  /** Takes note of an end, before the kernel forgets it. */
  interface Taker {
    void over(long pid, int exitCode);
  }

  /** Waits for an end; may return without one. */
  void await(Taker taker) {
    int options = Libc.EXITED | Libc.LEAVE_WAITABLE;
    if (Libc.waitid(Libc.ALL, 0, Pointer.nativeValue(info), options) != 0) {
      return;
    }
    int status = info.getInt(STATUS);
    int pid = info.getInt(PID);
    taker.over(pid, info.getInt(CODE) == CLD_EXITED ? status : SIGNALLED + status);
    Libc.waitpid(pid, new byte[Integer.BYTES], Libc.NO_HANG);
  }
}
