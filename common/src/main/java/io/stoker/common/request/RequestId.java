package io.stoker.common.request;

/** Checks ids of requests. */
public final class RequestId {
  /** For people. */
  public static final String EXPECTED = "1 to 128 of A-Z a-z 0-9 . _ : -";

  private static final int MAX = 128;

  private RequestId() {}

  /** Whether a text may be one. */
  public static boolean isValid(String text) {
    // By hand: this is asked of every request, and an expression costs as much as the rest of it.
    return !text.isEmpty() && text.length() <= MAX && text.chars().allMatch(RequestId::isIn);
  }

  private static boolean isIn(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == ':'
        || c == '-';
  }
}
