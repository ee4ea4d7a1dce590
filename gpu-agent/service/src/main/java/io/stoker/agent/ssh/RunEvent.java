package io.stoker.agent.ssh;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.ssh.LinkException.Kind;

/** An event of a run on a node. */
sealed interface RunEvent {
  /** It is to be started. */
  record Begin() implements RunEvent {}

  /**
   * An agent before this one had it.
   *
   * @param begun whether it is known to have begun
   */
  record Resume(boolean begun) implements RunEvent {}

  /** Its node is being made ready; ask again after so many ms. */
  record NotYet(long waitMs) implements RunEvent {}

  /**
   * Its node cannot be had.
   *
   * @param gone whether nothing can run on it any more
   */
  record NoNode(String why, boolean gone) implements RunEvent {}

  record Told(Look look) implements RunEvent {}

  record Failed(Kind kind, String why) implements RunEvent {}

  /** This host cannot have it started, or may not now; its node was not asked to. */
  record Refused(Cause cause, String why) implements RunEvent {}

  /** The time is up. */
  record Waited() implements RunEvent {}

  record Kill(long graceMs) implements RunEvent {}
}
