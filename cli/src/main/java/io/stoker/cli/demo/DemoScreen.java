package io.stoker.cli.demo;

import io.stoker.cli.terminal.Terminal;

/** For people: as it goes, and what came of it at the end. */
final class DemoScreen implements DemoShow {
  private final Terminal terminal;
  private final DemoView view;

  /**
   * @param live whether standard output is a terminal
   */
  DemoScreen(Terminal terminal, boolean live) {
    this.terminal = terminal;
    this.view = new DemoView(terminal, live);
  }

  @Override
  public void step(DemoState state) {
    view.show(state);
  }

  @Override
  public void end(DemoState state) {
    view.show(state);
    terminal.out().println();
    new DemoReport(state).print(terminal);
    terminal.flush();
  }
}
