package io.stoker.simulation;

/** What may come up with staged jobs. */
enum StageSight {
  TRAINED,
  LOAD_OOM,
  TRAIN_OOM,
  /** A command that was heard before. */
  TOLD_AGAIN,
  /** The gates hold something back. */
  HELD
}
