package io.stoker.agent.ssh;

/** A node could not be talked to. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  public enum Kind {
    /** Nobody answers there; it may later. */
    UNREACHABLE,
    /** It, or the way in, is not what it should be: a person must look. */
    REFUSED,
    /** The link went while something was under way, which may or may not have happened. */
    BROKEN
  }

  private final Kind kind;

  public LinkException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
