package io.stoker.dispatcher.model;

/**
 * The number of further jobs of a group that may be placed.
 *
 * @param more 0 for none
 * @param why not more than that; a sentence for people
 */
public record GroupLimit(int more, String why) {
  /** As many as there is room for. */
  public static final GroupLimit NONE = new GroupLimit(Integer.MAX_VALUE, "");
}
