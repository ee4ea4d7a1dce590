package io.stoker.cli.bench;

import java.util.Map;

/**
 * The times of the page's views while requests come in.
 *
 * @param requests that there were when the first view was asked for
 * @param askedPerSecond requests that were to come in a second meanwhile
 * @param perSecond that came in
 * @param behindSeconds how long after its produce the last of these was in the database
 * @param views in the order in which they are asked for, by name
 * @param unanswered answers that were not 200, by view: none for all that is well
 */
record PageFigures(
    int requests,
    int askedPerSecond,
    double perSecond,
    double behindSeconds,
    Map<String, View> views,
    Map<String, Long> unanswered) {
  /**
   * One view, by its two forms, in ms from the question to the last byte of its answer.
   *
   * @param times how often each was asked for
   */
  record View(int times, Percentiles json, Percentiles html) {}
}
