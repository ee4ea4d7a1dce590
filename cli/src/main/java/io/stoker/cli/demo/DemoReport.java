package io.stoker.cli.demo;

import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** The results of the demo: scores, who shared what, and what failed why. */
record DemoReport(DemoState state) {
  void print(Terminal terminal) {
    Table table = new Table("ID", "STATE", "SCORE", "ANSWERED BY", "WHAT IT SHOWS");
    for (DemoStep step : state.steps()) {
      Optional<RequestStatus> status = state.status(step);
      table.row(
          step.id(),
          status.map(DemoReport::state).orElse(new Cell("", Style.PLAIN)),
          status.map(RequestStatus::score).map(DemoReport::score).orElse(""),
          status.map(DemoReport::answeredBy).orElse(""),
          status.map(RequestStatus::reason).orElse(step.title()));
    }
    table.print(terminal);
    terminal.out().println();
    terminal.out().println(summary());
  }

  String summary() {
    List<RequestStatus> ends =
        state.steps().stream().flatMap(step -> state.status(step).stream()).toList();
    long jobs =
        ends.stream()
            .filter(status -> status.attempt() != null)
            .map(RequestStatus::job)
            .filter(Objects::nonNull)
            .distinct()
            .count();
    long cached = ends.stream().filter(RequestStatus::cached).count();
    long shared = ends.stream().filter(status -> status.shared() && !status.cached()).count();
    return "%d requests, %d jobs ran: %d request(s) shared a live one, %d answered by a finished one"
        .formatted(state.steps().size(), jobs, shared, cached);
  }

  private static Cell state(RequestStatus status) {
    return new Cell(status.state().name(), Style.of(status.state()));
  }

  private static String score(Double score) {
    return String.format(Locale.ROOT, "%.4f", score);
  }

  private static String answeredBy(RequestStatus status) {
    if (status.attempt() == null) {
      return "";
    }
    return status.cached() ? "cached result" : status.shared() ? "shared job" : "own job";
  }
}
