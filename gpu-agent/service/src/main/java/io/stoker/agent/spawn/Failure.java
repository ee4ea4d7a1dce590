package io.stoker.agent.spawn;

/** How a program that the kernel would not run is told from one that failed. */
public final class Failure {
  /** What the job's error output begins with. */
  public static final String MARK = "stoker: cannot execute ";

  private Failure() {}
}
