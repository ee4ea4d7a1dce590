package io.stoker.dispatcher.ledger;

/**
 * What is known of how a host proves who it is.
 *
 * @param used whether its agent has signed a hello with the host's key: nothing unsigned is
 *     believed of it any more
 * @param held why its attempts are held, for people; null if they are not. Messages in its name
 *     were refused for their key until nothing else was heard of it for a lease
 * @param generation of its newest key: 0 until people rotate it, and only rises
 * @param until when the key before the newest is refused, ms since 1970 on the database's clock;
 *     null if it is now
 */
public record HostKey(boolean used, String held, int generation, Long until) {
  /** Of a host that has no key yet, as far as is known. */
  public static final HostKey NONE = new HostKey(false, null, 0, null);

  /** Whether a message may be believed that is signed, or is not. */
  public boolean admits(boolean signed) {
    return signed || !used;
  }

  /** A hello was welcome that was signed, or was not: what it holds is told by its agent now. */
  public HostKey welcomed(boolean signed) {
    return new HostKey(used || signed, null, generation, until);
  }

  public HostKey heldFor(String why) {
    return new HostKey(used, why, generation, until);
  }

  public HostKey released() {
    return new HostKey(used, null, generation, until);
  }

  /**
   * Its newest key is of that generation, if it is the next; the one before is taken until then.
   */
  public HostKey rotated(int to, long end) {
    return to == generation + 1 ? new HostKey(used, held, to, end) : this;
  }

  /** No key of these generations is taken any more. */
  public HostKey revoked(int through) {
    if (through < oldest(Long.MIN_VALUE)) {
      return this;
    }
    return new HostKey(used, held, through < generation ? generation : generation + 1, null);
  }

  /** The oldest generation whose key is taken at that time. */
  public int oldest(long now) {
    return until != null && now < until ? generation - 1 : generation;
  }
}
