package io.stoker.dispatcher.model;

/**
 * The steps that a host must take after the database was restored: its agent may have been given
 * what the database does not know.
 *
 * @param at when the database was restored, ms since 1970
 * @param floor the host's epoch since then, above all that were granted before: any above it was
 *     granted by who knows what the database knows
 * @param outageMs how long its jobs ran on while nothing was heard of it, 0 for no longer than its
 *     lease; null if that is not known, so that silence proves nothing before its agent says hello
 * @param grantedSince whether an epoch was granted after the backup, nobody knows to which agent
 * @param successor whether the epochs after the floor were granted to the agent that had those
 *     before alone, so that nobody else can act by those
 */
public record Restored(
    long at, long floor, Long outageMs, boolean grantedSince, boolean successor) {
  /** Longer than anything lasts, ms. */
  private static final long FOR_EVER = Long.MAX_VALUE / 4;

  /** How long nothing may be heard of what it ran until that is over, beside a lease, ms. */
  public long silenceMs() {
    return outageMs == null ? FOR_EVER : outageMs;
  }

  /**
   * An epoch is granted.
   *
   * @param before the one that the host had until now
   * @param toSuccessor whether it is granted to the agent that had that one
   * @param saysMs how long its jobs run on unheard, as it says: so long those of earlier agents of
   *     this host are taken to, too, if that is not known
   */
  public Restored granted(long before, boolean toSuccessor, long saysMs) {
    boolean alone = toSuccessor && (before > floor ? successor : !grantedSince);
    Long known = outageMs == null ? Long.valueOf(saysMs) : outageMs;
    return new Restored(at, floor, known, grantedSince, alone);
  }
}
