package io.stoker.dispatcher.model;

/**
 * The key by which a host proves who it is.
 *
 * @param used whether its agent has signed a hello with the host's key: nothing unsigned is
 *     believed of it any more
 * @param held why its attempts are held, for people; null if they are not. Messages in its name
 *     were refused for their key until nothing else was heard of it for a lease
 * @param generation of its newest key: 0 until people rotate it, and only rises
 * @param until when the key before the newest is refused, ms since 1970 on the database's clock;
 *     null if it is now
 * @param unrevoked its oldest generation that nobody has revoked: an older key than is taken by now
 *     may have signed output that is read later. null if it is not known: the oldest that may still
 *     be taken
 * @param signsOutput since when its agent signs the output of what is placed there, ms since 1970
 *     on the database's clock; null if it does not
 */
public record HostKey(
    boolean used, String held, int generation, Long until, Integer unrevoked, Long signsOutput) {
  /** Of a host that has no key yet, as far as is known. */
  public static final HostKey NONE = new HostKey(false, null, 0, null, 0, null);

  /** Whether a message may be believed that is signed, or is not. */
  public boolean admits(boolean signed) {
    return signed || !used;
  }

  /** A hello was welcome that was signed, or was not: what it holds is told by its agent now. */
  public HostKey welcomed(boolean signed) {
    return new HostKey(used || signed, null, generation, until, unrevoked, signsOutput);
  }

  /** Its agent has said, under its key, whether it signs its output. */
  public HostKey signingOutput(boolean signs, long now) {
    Long since = signs ? Long.valueOf(signsOutput == null ? now : signsOutput) : null;
    return new HostKey(used, held, generation, until, unrevoked, since);
  }

  public HostKey heldFor(String why) {
    return new HostKey(used, why, generation, until, unrevoked, signsOutput);
  }

  public HostKey released() {
    return new HostKey(used, null, generation, until, unrevoked, signsOutput);
  }

  /**
   * Its newest key is of that generation, if it is the next; the one before is taken until then.
   */
  public HostKey rotated(int to, long end) {
    return to == generation + 1
        ? new HostKey(used, held, to, end, oldestUnrevoked(), signsOutput)
        : this;
  }

  /** No key of these generations is taken any more. */
  public HostKey revoked(int through) {
    if (through < oldestUnrevoked()) {
      return this;
    }
    boolean past = through < oldest(Long.MIN_VALUE);
    int newest = through < generation ? generation : generation + 1;
    Integer left = past ? through + 1 : newest;
    return new HostKey(used, held, newest, past ? until : null, left, signsOutput);
  }

  /** The oldest generation by which output that was written before may be signed. */
  public int oldestUnrevoked() {
    return unrevoked == null ? oldest(Long.MIN_VALUE) : unrevoked;
  }

  /** The oldest generation whose key is taken at that time. */
  public int oldest(long now) {
    return until != null && now < until ? generation - 1 : generation;
  }
}
