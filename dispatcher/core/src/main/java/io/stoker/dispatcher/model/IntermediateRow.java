package io.stoker.dispatcher.model;

/**
 * A result that a job gave while it ran.
 *
 * @param seq of the event that brought it
 * @param at the agent's clock, ms since 1970
 * @param score its first number; NaN if what was given for it is none, null if it has no numbers
 * @param result as printed, JSON; null where that is large
 */
public record IntermediateRow(
    String job, int attempt, int seq, long at, Double score, String result) {
  /** Larger ones, in characters, are kept by their score alone. */
  public static final int LARGEST = 4 * 1024;

  /** Of one attempt no more are kept: by the number of its events. */
  public static final int LAST = 100_000;
}
