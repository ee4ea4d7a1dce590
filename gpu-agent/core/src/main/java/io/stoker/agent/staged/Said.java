package io.stoker.agent.staged;

import java.util.Optional;

/**
 * A staged process's answer to a command.
 *
 * @param version of the protocol that it speaks
 * @param command the number of the command that it speaks of
 * @param what happened
 * @param message for people
 */
public record Said(int version, int command, What what, Optional<String> message) {
  /** The version that is spoken here. */
  public static final int VERSION = 1;

  /** What may happen. */
  public enum What {
    DONE,
    OOM,
    EXCEPTION
  }
}
