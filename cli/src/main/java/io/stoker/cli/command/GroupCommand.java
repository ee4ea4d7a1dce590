package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.CliException;
import io.stoker.cli.ExitCode;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker group}. */
@Command(
    name = "group",
    description = {
      "Shows how far a group is; on a terminal, until all of it has ended. Without a NAME, all groups.",
      "A group is there once a request names it. Closed, it has ended when all of it has."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker group exp-1",
      "  stoker group exp-1 --json | jq .progress",
      "  stoker group exp-1 --close           no more is to come",
      "  stoker group exp-1 --report | jq -r '[.id, .score, .time] | @tsv'"
    })
public final class GroupCommand implements Callable<Integer> {
  private static final int BAR = 40;
  private static final long REDRAW_MILLIS = 1000;
  private static final String ERASE_LINE = "\u001b[K";

  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "NAME", arity = "0..1", description = "The group.")
  private String name;

  @Option(names = "--json", description = "One group a line.")
  private boolean json;

  @Option(names = "--once", description = "Show it once, on a terminal too.")
  private boolean once;

  @Option(names = "--close", description = "Say that no more is to come.")
  private boolean close;

  @Option(
      names = "--report",
      description = "Its requests with results and times, one JSON object a line.")
  private boolean report;

  @Override
  public Integer call() throws InterruptedException {
    if (name == null && (close || report)) {
      throw CliException.usage("NAME is missing, expected with --close and --report");
    }
    try (Session session = new Session(spec, data)) {
      Groups groups = new Groups(session.rest());
      Terminal terminal = session.terminal();
      if (name == null) {
        all(terminal, groups.all());
      } else if (close) {
        groups.close(name);
        terminal.out().println(name);
      } else if (report) {
        groups.report(known(groups), request -> terminal.out().println(Json.text(request)));
      } else if (json) {
        terminal.out().println(Json.text(find(groups)));
      } else {
        show(terminal, groups);
      }
      return ExitCode.DONE;
    }
  }

  private String known(Groups groups) {
    return find(groups).path("group").asText();
  }

  private JsonNode find(Groups groups) {
    return groups
        .find(name)
        .orElseThrow(() -> CliException.unknownId("nobody knows a group " + name));
  }

  private void all(Terminal terminal, List<JsonNode> all) {
    if (json) {
      all.forEach(group -> terminal.out().println(Json.text(group)));
    } else if (all.isEmpty()) {
      terminal.note("no request names a group");
    } else {
      Table table =
          new Table("GROUP", "STATE", "TOTAL", "SUCCEEDED", "FAILED", "CANCELLED", "TIME");
      all.forEach(
          group ->
              table.row(
                  group.path("group").asText(),
                  group.path("state").asText(),
                  group.path("total").asText(),
                  group.path("succeeded").asText(),
                  group.path("failed").asText(),
                  group.path("cancelled").asText(),
                  group.path("elapsed").asText()));
      table.print(terminal);
    }
  }

  /** Drawn again in place each second on a terminal, until all that is known has ended. */
  private void show(Terminal terminal, Groups groups) throws InterruptedException {
    JsonNode group = find(groups);
    picture(terminal, group);
    while (terminal.live() && !once && !over(group)) {
      terminal.flush();
      TimeUnit.MILLISECONDS.sleep(REDRAW_MILLIS);
      group = find(groups);
      terminal.out().print("\u001b[3A");
      picture(terminal, group);
    }
  }

  private static boolean over(JsonNode group) {
    return group.path("done").asLong() >= group.path("total").asLong();
  }

  /** Three lines. */
  private static void picture(Terminal terminal, JsonNode group) {
    boolean failed = group.path("failed").asLong() > 0;
    Style style = failed ? Style.BAD : over(group) ? Style.GOOD : Style.BUSY;
    double progress = group.path("progress").asDouble();
    String erase = terminal.live() ? ERASE_LINE : "";
    terminal
        .out()
        .printf(
            "%s %s %s %d of %d, %s%s%n",
            group.path("group").asText(),
            terminal.styled(style, Bar.of(progress, BAR)),
            group.path("state").asText(),
            group.path("done").asLong(),
            group.path("total").asLong(),
            group.path("elapsed").asText(),
            erase);
    new Table("WAITING", "PLACED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED")
        .row(
            number(group, "waiting", Style.WAITING),
            number(group, "placed", Style.WAITING),
            number(group, "running", Style.BUSY),
            number(group, "succeeded", Style.GOOD),
            number(group, "failed", Style.BAD),
            number(group, "cancelled", Style.FAINT))
        .print(terminal);
  }

  private static Cell number(JsonNode group, String field, Style style) {
    long count = group.path(field).asLong();
    return new Cell(Long.toString(count), count == 0 ? Style.PLAIN : style);
  }
}
