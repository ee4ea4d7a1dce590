package io.stoker.dispatcher.ledger;

/**
 * How many more jobs of a group may be placed.
 *
 * @param more 0 for none
 * @param why not more than that; a sentence for people
 */
public record LaneLimit(int more, String why) {
  /** As many as there is room for. */
  public static final LaneLimit NONE = new LaneLimit(Integer.MAX_VALUE, "");
}
