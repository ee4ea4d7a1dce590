package io.stoker.cli.stack.child;

import java.io.IOException;

/** Sends signals that Java itself cannot. */
public final class Signals {
  private Signals() {}

  /**
   * Sends a signal; nothing happens if the process is gone.
   *
   * @param signal without SIG, e.g. {@code STOP}
   */
  public static void send(String signal, long pid) {
    // The shell's own kill: a minimal system has no program of that name.
    String[] command = {
      "/bin/sh", "-c", "kill -s \"$1\" \"$2\" 2>/dev/null", "kill", signal, Long.toString(pid)
    };
    try {
      new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new IllegalStateException("cannot send SIG%s to %d".formatted(signal, pid), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
