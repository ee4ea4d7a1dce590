package io.stoker.dispatcher.report;

import java.util.Collection;

/**
 * Decides how many mails are sent.
 *
 * @param minIntervalMs between two of them at least
 * @param maxNumbers in any {@link #WINDOW_MS} at most; 0 for none
 */
public record MailRules(long minIntervalMs, int maxNumbers) {
  /** A day. */
  public static final long WINDOW_MS = 86_400_000;

  public MailRules {
    if (minIntervalMs < 0 || maxNumbers < 0) {
      throw new IllegalArgumentException(
          "stoker.mail.min-interval is %d ms and max-numbers %d, expected 0 or more"
              .formatted(minIntervalMs, maxNumbers));
    }
  }

  /** How long mails that were sent have to be remembered. */
  public long rememberMs() {
    return Math.max(WINDOW_MS, minIntervalMs);
  }

  /**
   * Whether one may be sent now.
   *
   * @param sent when others were, ms since 1970
   */
  public boolean maySend(Collection<Long> sent, long now) {
    boolean tooSoon = sent.stream().anyMatch(at -> at > now - minIntervalMs);
    return !tooSoon && sent.stream().filter(at -> at > now - WINDOW_MS).count() < maxNumbers;
  }
}
