package io.stoker.common.state;

/** A state that says which may follow it: the one place where that stands. */
public interface Successive<S extends Enum<S>> {
  /** Whether it may be followed by this one. */
  boolean leadsTo(S next);

  /**
   * The state that follows.
   *
   * @throws IllegalStateException if it may not
   */
  default S to(S next) {
    if (!leadsTo(next)) {
      throw new IllegalStateException(this + " is never followed by " + next);
    }
    return next;
  }
}
