package io.stoker.cli.demo;

/** How the demo is shown. */
interface DemoShow {
  /** Something may have changed. */
  void step(DemoState state);

  /** Nothing changes any more. */
  void end(DemoState state);
}
