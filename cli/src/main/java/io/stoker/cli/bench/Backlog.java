package io.stoker.cli.bench;

/**
 * Measures the cost of a long line: the same work behind a short and behind a long one.
 *
 * @param hosts virtual ones
 * @param few behind the short line
 * @param many behind the long one
 * @param singlePassMillis a placement pass on average, as below, behind the long one while jobs end
 *     one by one, twenty a second
 * @param ratio the long line's rate by the short one's
 */
record Backlog(int hosts, Behind few, Behind many, double singlePassMillis, double ratio) {
  /**
   * Measured behind one line.
   *
   * @param queued jobs that wait all the while: for each that ends, a new one is posted
   * @param shapes different amounts of memory that they ask for; null if they ask for none
   * @param jobs how many ended
   * @param perSecond jobs that ended a second
   * @param passMillis a placement pass on average, from its snapshot to its commit
   * @param decisionMillis what of it is the decision itself
   * @param dispatcherMiB the dispatcher's memory at the end
   */
  record Behind(
      int queued,
      Integer shapes,
      int jobs,
      double perSecond,
      double passMillis,
      double decisionMillis,
      long dispatcherMiB) {}
}
