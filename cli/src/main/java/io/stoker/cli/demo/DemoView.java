package io.stoker.cli.demo;

import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Shows the demo as it goes: a bar a job on a terminal, a line a change of state in a pipe. */
final class DemoView {
  private static final int BAR = 24;
  private static final String ERASE_LINE = "\u001b[K";

  private final Terminal terminal;
  private final boolean live;
  private final Map<String, RequestState> shown = new HashMap<>();
  private int drawn;

  /**
   * @param live whether standard output is a terminal
   */
  DemoView(Terminal terminal, boolean live) {
    this.terminal = terminal;
    this.live = live;
  }

  void show(DemoState state) {
    if (live) {
      redraw(state);
    } else {
      state.steps().forEach(step -> state.status(step).ifPresent(this::line));
    }
    terminal.out().flush();
  }

  private void line(RequestStatus status) {
    if (shown.put(status.id(), status.state()) != status.state()) {
      terminal
          .out()
          .println("%-17s %-9s %s".formatted(status.id(), status.state(), detail(status)).strip());
    }
  }

  private void redraw(DemoState state) {
    if (drawn > 0) {
      terminal.out().print("\u001b[%dA".formatted(drawn));
    }
    for (DemoStep step : state.steps()) {
      terminal.out().println("\r" + picture(step, state.status(step)) + ERASE_LINE);
    }
    drawn = state.steps().size();
  }

  private String picture(DemoStep step, Optional<RequestStatus> status) {
    double done = status.map(DemoView::fraction).orElse(0.0);
    String name = status.map(known -> known.state().name()).orElse("");
    Style style = status.map(known -> Style.of(known.state())).orElse(Style.FAINT);
    return "%-17s %s %s %s"
        .formatted(
            step.id(),
            terminal.styled(style, Bar.of(done, BAR)),
            terminal.styled(style, "%-9s".formatted(name)),
            step.title());
  }

  private static double fraction(RequestStatus status) {
    return status.state().terminal() ? 1 : Progress.fraction(status.progress()).orElse(0);
  }

  private static String detail(RequestStatus status) {
    String sharing = status.cached() ? "cached" : status.shared() ? "shared" : "";
    String host = status.host() == null ? "" : "on " + status.host();
    return status.state().terminal() ? sharing : (host + " " + sharing).strip();
  }
}
