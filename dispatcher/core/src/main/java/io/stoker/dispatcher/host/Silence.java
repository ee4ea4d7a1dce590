package io.stoker.dispatcher.host;

/**
 * Tells by the heartbeat log for how long nothing has been heard of a host. Only what was read
 * while the end of the log was held counts.
 */
public interface Silence {
  /**
   * Whether whoever held one of these epochs has no rights any more, and nothing runs by them: no
   * heartbeat of one of them has been in the log for a lease or the longest outage, and the time
   * that it takes to kill.
   *
   * @param epoch the last of them; all before count, too
   * @param outageMs how long its jobs run on unheard, ms; 0 for no longer than a lease
   */
  default boolean over(long epoch, long outageMs) {
    return leftMs(epoch, outageMs) == 0;
  }

  /** How much longer it takes to be {@linkplain #over over} if nothing is heard, ms; 0 if it is. */
  long leftMs(long epoch, long outageMs);
}
