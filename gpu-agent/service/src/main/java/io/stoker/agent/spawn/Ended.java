package io.stoker.agent.spawn;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.function.Supplier;

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

  /** Takes note of an end. */
  interface Taker {
    /** Before the kernel forgets it. */
    void over(long pid, int exitCode);

    /**
     * It may be forgotten. From then on its number may be another's.
     *
     * @param forget has the kernel forget it, and says what it took
     */
    void gone(long pid, int exitCode, Supplier<Rusage> forget);
  }

  /** Waits for an end; may return without one. */
  void await(Taker taker) {
    int options = Libc.EXITED | Libc.LEAVE_WAITABLE;
    if (Libc.waitid(Libc.ALL, 0, Pointer.nativeValue(info), options) != 0) {
      return;
    }
    int status = info.getInt(STATUS);
    int pid = info.getInt(PID);
    int exitCode = info.getInt(CODE) == CLD_EXITED ? status : SIGNALLED + status;
    taker.over(pid, exitCode);
    taker.gone(pid, exitCode, () -> forget(pid));
  }

  private static Rusage forget(int pid) {
    byte[] usage = new byte[Rusage.SIZE];
    Libc.wait4(pid, new byte[Integer.BYTES], Libc.NO_HANG, usage);
    return Rusage.of(usage, Rusage.ownPeakKib());
  }
}
