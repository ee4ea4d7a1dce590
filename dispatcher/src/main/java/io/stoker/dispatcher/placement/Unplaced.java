package io.stoker.dispatcher.placement;

/**
 * Why a job in line was not placed.
 *
 * @param reason a label of few values, for metrics
 * @param sentence for people, with figures
 */
public record Unplaced(Reason reason, String sentence) {
  /** Why. */
  public enum Reason {
    NO_ROOM,
    NEVER
  }

  static Unplaced never(String sentence) {
    return new Unplaced(Reason.NEVER, sentence);
  }

  static Unplaced noRoom(int hosts, String need) {
    String sentence = "none of " + hosts + " able host(s) has " + need + " free now";
    return new Unplaced(Reason.NO_ROOM, sentence);
  }
}
