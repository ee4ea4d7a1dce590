package io.stoker.agent.spawn;

import com.sun.jna.Native;

/**
 * The functions of the C library that the JDK has no way to. Structures are addresses; text ends
 * with NUL. Values of constants are Linux's, which are the same on all that the JDK runs on.
 */
public final class Libc {
  static final int EPERM = 1;
  static final int ESRCH = 3;
  static final int ENOEXEC = 8;

  static final short SPAWN_SIGNALS_TO_DEFAULT = 0x04;
  static final short SPAWN_SIGNAL_MASK = 0x08;
  static final short SPAWN_SESSION = 0x80;

  static final int READ = 0;
  static final int WRITE_CLOSE_ON_EXEC = 0x80001;
  static final int KEEP_SIZE = 1;
  static final int READ_WRITE = 2;
  static final int APPEND_NEW = 0x441;
  static final int EEXIST = 17;

  static final int ALL = 0;
  static final int NO_HANG = 1;
  static final int EXITED = 4;
  static final int LEAVE_WAITABLE = 0x01000000;

  static final int SET_DUMPABLE = 4;
  static final int SET_CHILD_SUBREAPER = 36;
  static final int SET_NO_NEW_PRIVILEGES = 38;
  static final int SET_DESCRIPTOR_FLAGS = 2;
  static final int CLOSE_ON_EXEC = 1;
  static final int GET_PIPE_SIZE = 1032;

  static final int SELF = 0;

  static final int LIMIT_OF_LOCKS = 10;

  static {
    Native.register(Libc.class, "c");
  }

  private Libc() {}

  static native int posix_spawn(
      long pid, byte[] path, long actions, long attributes, long arguments, long environment);

  static native int posix_spawn_file_actions_init(long actions);

  static native int posix_spawn_file_actions_addopen(
      long actions, int descriptor, byte[] path, int flags, int mode);

  static native int posix_spawn_file_actions_destroy(long actions);

  static native int posix_spawnattr_init(long attributes);

  static native int posix_spawnattr_setflags(long attributes, short flags);

  static native int posix_spawnattr_setsigmask(long attributes, long signals);

  static native int posix_spawnattr_setsigdefault(long attributes, long signals);

  static native int sigemptyset(long signals);

  static native int sigfillset(long signals);

  static native int chdir(byte[] folder);

  static native int open(byte[] path, int flags);

  static native int close(int descriptor);

  static native int fallocate(int descriptor, int mode, long from, long bytes);

  static native int mkfifo(byte[] path, int mode);

  static native int prctl(int option, long a, long b, long c, long d);

  static native int fcntl(int descriptor, int command, int value);

  static native int waitid(int kind, int id, long info, int options);

  static native int waitpid(int pid, byte[] status, int options);

  static native int wait4(int pid, byte[] status, int options, byte[] usage);

  static native int getrusage(int who, byte[] usage);

  static native int prlimit(int pid, int limit, byte[] changed, byte[] before);

  static native int kill(int pid, int signal);

  static native int poll(byte[] descriptors, long count, int timeoutMs);

  static native int sched_getaffinity(int pid, long size, long mask);

  static native int sched_setaffinity(int pid, long size, long mask);

  static native int execv(byte[] path, long arguments);

  static native long strerror(int error);
}
