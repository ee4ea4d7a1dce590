package io.stoker.cli.demo;

import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;

/** For programs: the final statuses. */
record DemoStatuses(Terminal terminal) implements DemoShow {
  @Override
  public void step(DemoState state) {
    // They are told once they are final.
  }

  @Override
  public void end(DemoState state) {
    state.steps().stream()
        .flatMap(step -> state.status(step).stream())
        .forEach(status -> terminal.out().println(Json.text(status)));
    terminal.flush();
  }
}
