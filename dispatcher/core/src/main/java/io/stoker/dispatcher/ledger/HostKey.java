package io.stoker.dispatcher.ledger;

/**
 * What is known of how a host proves who it is.
 *
 * @param used whether its agent has signed a hello with the host's key: nothing unsigned is
 *     believed of it any more
 * @param held why its attempts are held, for people; null if they are not. Messages in its name
 *     were refused for their key until nothing else was heard of it for a lease
 */
public record HostKey(boolean used, String held) {
  /** Of a host that has no key yet, as far as is known. */
  public static final HostKey NONE = new HostKey(false, null);

  /** Whether a message may be believed that is signed, or is not. */
  public boolean admits(boolean signed) {
    return signed || !used;
  }

  /** A hello was welcome that was signed, or was not: what it holds is told by its agent now. */
  public HostKey welcomed(boolean signed) {
    return new HostKey(used || signed, null);
  }

  public HostKey heldFor(String why) {
    return new HostKey(used, why);
  }

  public HostKey released() {
    return new HostKey(used, null);
  }
}
