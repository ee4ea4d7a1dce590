package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker hosts events}. */
@Command(
    name = "events",
    description = {
      "Shows what became of a host, the newest first: starts, losses, cordons, drains,",
      "GPUs that failed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker hosts events host-1",
      "  stoker hosts events host-1 --json | jq -r 'select(.what == \"LOST\") | .at'"
    })
final class HostEventsCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(paramLabel = "HOST", description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Option(names = "--json", description = "One event a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      List<JsonNode> events = session.fleet().events(host);
      Format wanted = format.format(json);
      if (wanted.print(session.terminal(), events, event -> event.path("what").asText())) {
        return ExitCode.DONE;
      }
      if (events.isEmpty()) {
        session.terminal().note("nothing is noted of " + host);
      } else {
        Table table = new Table("AT", "WHAT", "WHY");
        events.forEach(
            event ->
                table.row(
                    event.path("at").asText(),
                    event.path("what").asText(""),
                    event.path("detail").asText("")));
        wanted.print(session.terminal(), table);
      }
      return ExitCode.DONE;
    }
  }
}
