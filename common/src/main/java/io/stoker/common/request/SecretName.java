package io.stoker.common.request;

import java.util.regex.Pattern;

/** Checks names of secrets: a key in a host's configuration, never a path. */
public final class SecretName {
  private static final int MAX = 64;

  /** For people. */
  public static final String EXPECTED =
      "{\"secret\": \"…\"} with the name of a secret: 1 to " + MAX + " of A-Z a-z 0-9 _ -";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1," + MAX + "}");

  private SecretName() {}

  /** Whether a text may be one. */
  public static boolean isValid(String text) {
    return NAME.matcher(text).matches();
  }
}
