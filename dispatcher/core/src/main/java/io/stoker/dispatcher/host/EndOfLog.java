package io.stoker.dispatcher.host;

import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Tells whether a reader holds the end of a log that grows while it reads. It does if it soon
 * reaches what was the end when that was asked for; that the log has grown on by then is no lag.
 *
 * @param <P> what names a partition
 */
public final class EndOfLog<P> {
  /** Reached later than this, in ms, the end that was asked for tells of arrears. */
  static final long SOON_MS = 2_000;

  private Map<P, Long> wanted = Map.of();
  private long askedAt;

  /** Whether the end is to be asked for: no answer is waited for that could still be in time. */
  public boolean toBeAsked(long now) {
    return wanted.isEmpty() || now - askedAt > SOON_MS;
  }

  /** The log's end by partition was this, as of {@code now}. */
  public void asked(Map<P, Long> ends, long now) {
    wanted = Map.copyOf(ends);
    askedAt = now;
  }

  /**
   * Whether the end was held, as of a moment ago; said once for each time that it was asked for.
   *
   * @param position the next offset to read of a partition
   */
  public boolean reached(ToLongFunction<P> position, long now) {
    boolean there =
        !wanted.isEmpty()
            && wanted.entrySet().stream()
                .allMatch(end -> position.applyAsLong(end.getKey()) >= end.getValue());
    if (there) {
      wanted = Map.of();
    }
    return there && now - askedAt <= SOON_MS;
  }
}
