package io.stoker.agent.spawn;

/** Tells a program that the kernel would not run from one that failed. */
public final class Failure {
  /** What the job's error output begins with. */
  public static final String MARK = "stoker: cannot execute ";

  /** What a refusal begins with where the host is short of what a start takes. */
  public static final String SHORT = "this host cannot start it now: ";

  private Failure() {}
}
