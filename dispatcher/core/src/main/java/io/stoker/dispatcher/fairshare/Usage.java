package io.stoker.dispatcher.fairshare;

import io.stoker.dispatcher.model.UsageRow;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The use of the ended attempts of a queue.
 *
 * @param at as of when, ms since 1970; it is forgotten from then on
 */
public record Usage(String queue, DeviceTime time, long at) {
  /**
   * No transaction is so late: what is further ahead, in ms, was noted by a clock that was set back
   * since, and is forgotten from now on.
   */
  public static final long AHEAD_MS = 3_600_000;

  /** With what a transaction's ended attempts took, as of then. */
  public Usage plus(UsageRow row, Decay decay) {
    DeviceTime run = new DeviceTime(row.gpuMs(), row.slotMs()).leftOfRun(decay, row.runMs());
    long asOf = at - row.at() > AHEAD_MS ? row.at() : Math.max(at, row.at());
    return new Usage(queue, now(decay, row.at()).plus(run), asOf);
  }

  /**
   * With what more attempts took.
   *
   * @param ended at most one a queue
   */
  public static Collection<Usage> plus(
      Collection<Usage> ended, Collection<UsageRow> more, Decay decay) {
    Map<String, Usage> byQueue = new HashMap<>();
    ended.forEach(usage -> byQueue.put(usage.queue(), usage));
    for (UsageRow row : more) {
      Usage none = new Usage(row.queue(), DeviceTime.NONE, row.at());
      byQueue.put(row.queue(), byQueue.getOrDefault(row.queue(), none).plus(row, decay));
    }
    return byQueue.values();
  }

  DeviceTime now(Decay decay, long now) {
    return time.left(decay, now - at);
  }
}
