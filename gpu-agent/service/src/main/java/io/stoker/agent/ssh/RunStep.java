package io.stoker.agent.ssh;

import io.stoker.agent.attempt.Input.Cause;
import java.util.OptionalInt;

/**
 * The next step of a run on a node; after all but {@link Note} and {@link Began} comes an event, or
 * nothing.
 */
sealed interface RunStep {
  record Start() implements RunStep {}

  record Look() implements RunStep {}

  record Stop(long graceMs) implements RunStep {}

  /** Kill what is left, then look again. */
  record Sweep() implements RunStep {}

  record Wait(long ms) implements RunStep {}

  record Began() implements RunStep {}

  /** It never began, and never will. */
  record NotBegun(Cause cause, String why) implements RunStep {}

  /**
   * It is over.
   *
   * @param exitCode empty if nobody saw it
   * @param note what people should know, or null
   * @param launch whether its program never began
   */
  record Ended(OptionalInt exitCode, String note, boolean launch) implements RunStep {}

  record Note(String text) implements RunStep {}
}
