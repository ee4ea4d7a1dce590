package io.stoker.common.life;

import java.lang.System.Logger.Level;

/** Ends this process where it cannot do its work any more and a new one could. */
public final class ProcessEnd {
  /** Tells whoever supervises a process that a restart is the way on. */
  public static final int RESTART_ME = 70;

  private static final System.Logger LOG = System.getLogger(ProcessEnd.class.getName());

  private ProcessEnd() {}

  /**
   * Ends this process at once, as a SIGKILL would: what is under way is found again, and an orderly
   * stop would wait for what hangs, or run out of memory once more.
   *
   * @param reason for people
   * @param cause null if nothing was thrown
   */
  public static void because(String reason, Throwable cause) {
    try {
      LOG.log(Level.ERROR, "exiting, to be restarted: " + reason, cause);
    } finally {
      Runtime.getRuntime().halt(RESTART_ME);
    }
  }
}
