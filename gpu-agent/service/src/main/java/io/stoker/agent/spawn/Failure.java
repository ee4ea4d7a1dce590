package io.stoker.agent.spawn;

/** Tells a program that the kernel would not run from one that failed. */
public final class Failure {
  /** What the job's error output begins with. */
  public static final String MARK = "stoker: cannot execute ";

  private Failure() {}
}
