package io.stoker.common.request;

import java.util.regex.Pattern;

/** Checks names of pools of workers. */
public final class PoolName {
  static final int MAX = 64;

  /** For people. */
  public static final String EXPECTED = "the name of a pool: 1 to " + MAX + " of A-Z a-z 0-9 _ -";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1," + MAX + "}");

  private PoolName() {}

  /** Whether a text may be one. */
  public static boolean isValid(String text) {
    return NAME.matcher(text).matches();
  }
}
