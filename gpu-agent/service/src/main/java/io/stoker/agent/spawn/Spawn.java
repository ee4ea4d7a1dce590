package io.stoker.agent.spawn;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts processes in sessions of their own: one {@code vfork} and one {@code exec} each. They
 * begin with all signals at their defaults and none blocked. One thread alone may use it, since the
 * work folder is the process's.
 */
final class Spawn {
  /** More than any C library's attributes, file actions or signal sets take. */
  private static final int STRUCTURE = 1024;

  private static final int FILE_MODE = 0666;
  private static final int PIPE_MODE = 0600;
  private static final String SHELL = "/bin/sh";
  private static final String PIPE = "input";

  private final Memory attributes = new Memory(STRUCTURE);
  private final Memory actions = new Memory(STRUCTURE);
  private final Memory pid = new Memory(Integer.BYTES);
  private final OwnCpus cpus = new OwnCpus();
  private final RunTag.Own tags = new RunTag.Own();

  /**
   * How a start went.
   *
   * @param pid of the new process, if error is 0
   * @param error of the C library
   */
  record Outcome(long pid, int error) {}

  Spawn() {
    Memory signals = new Memory(STRUCTURE);
    check(Libc.posix_spawnattr_init(address(attributes)));
    Libc.sigemptyset(address(signals));
    check(Libc.posix_spawnattr_setsigmask(address(attributes), address(signals)));
    Libc.sigfillset(address(signals));
    check(Libc.posix_spawnattr_setsigdefault(address(attributes), address(signals)));
    check(
        Libc.posix_spawnattr_setflags(
            address(attributes),
            (short) (Libc.SPAWN_SIGNALS_TO_DEFAULT | Libc.SPAWN_SIGNAL_MASK | Libc.SPAWN_SESSION)));
  }

  private static void check(int error) {
    if (error != 0) {
      throw new IllegalStateException("processes cannot be prepared: " + Subreaper.error(error));
    }
  }

  /**
   * Starts it with its outputs in the folder; a script without interpreter is the shell's.
   *
   * @param tag by which all of its processes are known
   */
  Outcome start(Order order, Path folder, long tag) {
    if (order.told()) {
      int error = pipe(folder);
      if (error != 0) {
        return new Outcome(0, error);
      }
    }
    tags.set(tag);
    try {
      return start(order, folder);
    } finally {
      tags.reset();
    }
  }

  private Outcome start(Order order, Path folder) {
    Outcome outcome = start(order, folder, order.program(), order.arguments());
    if (outcome.error() != Libc.ENOEXEC) {
      return outcome;
    }
    List<String> script = new ArrayList<>(List.of(SHELL, order.program()));
    script.addAll(order.arguments().subList(1, order.arguments().size()));
    return start(order, folder, SHELL, script);
  }

  private static int pipe(Path folder) {
    int made = Libc.mkfifo(Texts.one(folder.resolve(PIPE).toString()), PIPE_MODE);
    int error = made == 0 ? 0 : Native.getLastError();
    return error == Libc.EEXIST ? 0 : error;
  }

  private Outcome start(Order order, Path folder, String program, List<String> arguments) {
    try (Texts argv = new Texts(arguments);
        Texts environment = new Texts(order.environment())) {
      check(Libc.posix_spawn_file_actions_init(address(actions)));
      // Open for writing, too: so it never comes to an end while whoever writes to it starts again.
      if (order.told()) {
        open(0, folder.resolve(PIPE).toString(), Libc.READ_WRITE);
      } else {
        open(0, "/dev/null", Libc.READ);
      }
      open(1, folder.resolve("stdout").toString(), Libc.APPEND_NEW);
      open(2, folder.resolve("stderr").toString(), Libc.APPEND_NEW);
      cpus.bind(order.cpus());
      int error =
          Libc.posix_spawn(
              address(pid),
              Texts.one(program),
              address(actions),
              address(attributes),
              argv.address(),
              environment.address());
      cpus.free(order.cpus());
      Libc.posix_spawn_file_actions_destroy(address(actions));
      return new Outcome(pid.getInt(0), error);
    }
  }

  private void open(int descriptor, String file, int flags) {
    check(
        Libc.posix_spawn_file_actions_addopen(
            address(actions), descriptor, Texts.one(file), flags, FILE_MODE));
  }

  private static long address(Memory memory) {
    return com.sun.jna.Pointer.nativeValue(memory);
  }
}
