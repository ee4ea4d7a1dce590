package io.stoker.simulation;

/** How an invariant complains. */
final class Must {
  private Must() {}

  /**
   * Fails the run unless the condition holds.
   *
   * @param message as {@link String#format} takes it: written only if somebody reads it
   */
  static void hold(boolean condition, String message, Object... of) {
    if (!condition) {
      throw new SimulationFailure(message.formatted(of));
    }
  }
}
