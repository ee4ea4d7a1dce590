package io.stoker.dispatcher.fairshare;

import io.stoker.dispatcher.ledger.UsageRow;

/**
 * What the ended attempts of a queue come to.
 *
 * @param at as of when, ms since 1970; it is forgotten from then on
 */
public record Usage(String queue, DeviceTime time, long at) {

  /** With what a transaction's ended attempts took, as of then. */
  public Usage plus(UsageRow row, Decay decay) {
    DeviceTime run = new DeviceTime(row.gpuMs(), row.slotMs()).leftOfRun(decay, row.runMs());
    return new Usage(queue, now(decay, row.at()).plus(run), Math.max(at, row.at()));
  }

  DeviceTime now(Decay decay, long now) {
    return time.left(decay, now - at);
  }
}
