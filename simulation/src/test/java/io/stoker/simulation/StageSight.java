package io.stoker.simulation;

/** What may come up with staged jobs, and with others that wait at gates. */
enum StageSight {
  TRAINED,
  LOAD_OOM,
  TRAIN_OOM,
  /** A command that was heard before. */
  TOLD_AGAIN,
  /** The gates hold something back. */
  HELD,
  /** What starts as a whole has passed them. */
  GATED
}
