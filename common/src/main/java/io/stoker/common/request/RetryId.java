package io.stoker.common.request;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The id under which a request is posted again: its own, and eight digits that follow from the
 * message that asked for it. So the same message twice means the same request.
 */
public final class RetryId {
  private static final Pattern EARLIER = Pattern.compile("[.]r[0-9a-f]{8}$");
  private static final int DIGITS = 8;
  private static final int LONGEST = 128 - ".r".length() - DIGITS;

  private RetryId() {}

  /**
   * The new id.
   *
   * @param request the id that ended; that of a retry gives way to its original's
   * @param message id of the message that asked for the retry
   */
  public static String of(String request, String message) {
    String original = EARLIER.matcher(request).replaceFirst("");
    String digits =
        Fingerprint.sha256((message + " " + request).getBytes(StandardCharsets.UTF_8))
            .substring(0, DIGITS);
    return original.substring(0, Math.min(original.length(), LONGEST)) + ".r" + digits;
  }
}
