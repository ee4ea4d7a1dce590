package io.stoker.simulation;

/**
 * What came up with pools of workers.
 *
 * @param begun jobs that workers began
 * @param ahead of them, those that were told before their turn
 * @param crashes workers that ended by themselves, and were not told to
 * @param withdrawn jobs that workers did not begin, as they were told
 * @param handedBack jobs that were told to a worker that is gone, and that another one was told
 * @param resets what ended since its pool began a session
 */
record PoolSights(int begun, int ahead, int crashes, int withdrawn, int handedBack, int resets) {
  static final PoolSights NONE = new PoolSights(0, 0, 0, 0, 0, 0);
  static final PoolSights BEGUN = new PoolSights(1, 0, 0, 0, 0, 0);
  static final PoolSights AHEAD = new PoolSights(0, 1, 0, 0, 0, 0);
  static final PoolSights CRASH = new PoolSights(0, 0, 1, 0, 0, 0);
  static final PoolSights WITHDRAWN = new PoolSights(0, 0, 0, 1, 0, 0);
  static final PoolSights HANDED_BACK = new PoolSights(0, 0, 0, 0, 1, 0);

  /** With so many that ended since their pools were reset. */
  PoolSights reset(int more) {
    return new PoolSights(begun, ahead, crashes, withdrawn, handedBack, resets + more);
  }

  PoolSights and(PoolSights other) {
    return new PoolSights(
        begun + other.begun,
        ahead + other.ahead,
        crashes + other.crashes,
        withdrawn + other.withdrawn,
        handedBack + other.handedBack,
        resets + other.resets);
  }
}
