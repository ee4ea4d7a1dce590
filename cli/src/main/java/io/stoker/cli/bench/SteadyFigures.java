package io.stoker.cli.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The figures of a stack under a load that stays the same.
 *
 * @param askedPerSecond jobs that were to be posted a second
 * @param behindSeconds how long after the last produce the last job had ended
 * @param windows of equal length, in their order
 */
record SteadyFigures(int askedPerSecond, double behindSeconds, List<Window> windows) {
  /**
   * A part of the time.
   *
   * @param perSecond jobs that ended in it, a second
   * @param toSucceeded ms from produce to SUCCEEDED seen, of these; null if there were none
   * @param databaseMiB tables and indexes at its end; null for a database elsewhere
   * @param deadRows that Postgres counts at its end; null likewise
   * @param held whether a transaction was held open during it
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Window(
      double perSecond, Percentiles toSucceeded, Long databaseMiB, Long deadRows, boolean held) {}
}
