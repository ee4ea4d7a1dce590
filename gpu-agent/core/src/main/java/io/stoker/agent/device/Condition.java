package io.stoker.agent.device;

/**
 * The condition of a device.
 *
 * @param reason a sentence for people; empty if it is OK
 */
public record Condition(State state, String reason) {
  public static final Condition OK = new Condition(State.OK, "");

  /** From good to bad. */
  public enum State {
    OK,
    /** It serves, and something is to be looked after. */
    SUSPECT,
    /** It is free of nobody's leftovers yet, and given to nobody until it is. */
    CLEANING,
    /** It has failed and is given to nobody until it has been well for a while. */
    UNHEALTHY,
    /** It fails again and again, or does not come clean: given to nobody until that is over. */
    QUARANTINED
  }

  /** Whether jobs may have it. */
  public boolean serves() {
    return state == State.OK || state == State.SUSPECT;
  }
}
