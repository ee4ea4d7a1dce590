package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.Watched;
import io.stoker.cli.status.Score;
import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Draws how far a group is.
 *
 * @param group as it was answered just now
 */
record GroupView(Terminal terminal, Supplier<JsonNode> group) {
  private static final int BAR = 40;
  private static final long REDRAW_MILLIS = 1000;
  private static final String ERASE_LINE = "\u001b[K";
  private static final String ERASE_BELOW = "\u001b[J";

  /**
   * Drawn again in place each second on a terminal, until all that is known has ended.
   *
   * @param once no further than that
   * @param watch until it has ended for good, on a terminal or not
   */
  void show(boolean once, boolean watch) throws InterruptedException {
    if (watch && !terminal.redraws()) {
      picture(ended());
      return;
    }
    Watched<JsonNode> now = new Watched<>(group);
    int lines = picture(now);
    while (terminal.redraws() && (watch || !once) && !over(now.last(), watch)) {
      terminal.flush();
      TimeUnit.MILLISECONDS.sleep(REDRAW_MILLIS);
      now.again();
      terminal.out().print("\u001b[" + lines + "A" + ERASE_BELOW);
      lines = picture(now);
    }
  }

  /** Waits until it has ended for good, and shows nothing. */
  JsonNode ended() throws InterruptedException {
    Watched<JsonNode> now = new Watched<>(group);
    while (!over(now.last(), true)) {
      TimeUnit.MILLISECONDS.sleep(REDRAW_MILLIS);
      now.again(terminal::note);
    }
    return now.last();
  }

  private static boolean over(JsonNode group, boolean forGood) {
    return forGood
        ? group.path("state").asText().equals("ENDED")
        : group.path("done").asLong() >= group.path("total").asLong();
  }

  /** Says how many lines it has drawn. */
  private int picture(Watched<JsonNode> now) {
    now.trouble().ifPresent(why -> terminal.out().println(terminal.styled(Style.BAD, drawn(why))));
    return picture(now.last()) + (now.trouble().isPresent() ? 1 : 0);
  }

  private int picture(JsonNode group) {
    boolean failed = group.path("failed").asLong() > 0;
    Style style = failed ? Style.BAD : over(group, false) ? Style.GOOD : Style.BUSY;
    double progress = group.path("progress").asDouble();
    String bar = Bar.of(progress, BAR);
    String line =
        "%s %s %s %d of %d, %s"
            .formatted(
                group.path("group").asText(),
                bar,
                group.path("state").asText(),
                group.path("done").asLong(),
                group.path("total").asLong(),
                group.path("elapsed").asText());
    terminal.out().println(drawn(line).replace(bar, terminal.styled(style, bar)));
    new Table("WAITING", "PLACED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED")
        .row(
            number(group, "waiting", Style.WAITING),
            number(group, "placed", Style.WAITING),
            number(group, "running", Style.BUSY),
            number(group, "succeeded", Style.GOOD),
            number(group, "failed", Style.BAD),
            number(group, "cancelled", Style.FAINT))
        .print(terminal);
    if (!group.has("experiment")) {
      return 3;
    }
    terminal.out().println(drawn(experiment(group.path("experiment"))));
    return 4;
  }

  /** A line that may be drawn again is one line, and covers the whole of the one before. */
  private String drawn(String text) {
    String line = Cell.of(text).text();
    return terminal.redraws() ? Terminal.unwrapped(line, Terminal.columns()) + ERASE_LINE : line;
  }

  /** Such as {@code experiment RUNNING, best 0.93 by lr-7}; of a group that is none its plan. */
  static String experiment(JsonNode experiment) {
    StringBuilder line = new StringBuilder();
    line.append(experiment.has("objective") ? "experiment " : "plan ");
    line.append(experiment.path("state").asText());
    if (experiment.has("best")) {
      line.append(", best ").append(Score.text(experiment.at("/best/score").asDouble()));
      line.append(" by ").append(experiment.at("/best/id").asText());
    }
    if (experiment.has("reason")) {
      line.append(", ").append(experiment.path("reason").asText());
    }
    if (experiment.has("after") && experiment.path("state").asText().equals("RUNNING")) {
      line.append(", after ").append(experiment.path("after").asText());
    }
    return line.toString();
  }

  private static Cell number(JsonNode group, String field, Style style) {
    long count = group.path(field).asLong();
    return new Cell(Long.toString(count), count == 0 ? Style.PLAIN : style);
  }
}
