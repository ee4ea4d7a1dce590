package io.stoker.simulation;

/** An invariant does not hold. */
final class SimulationFailure extends AssertionError {
  private static final long serialVersionUID = 1;

  SimulationFailure(String message) {
    super(message);
  }

  SimulationFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
