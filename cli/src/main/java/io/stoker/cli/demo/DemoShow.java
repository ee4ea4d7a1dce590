package io.stoker.cli.demo;

/** Shows the demo. */
interface DemoShow {
  /** Something may have changed. */
  void step(DemoState state);

  /** Nothing changes any more. */
  void end(DemoState state);
}
