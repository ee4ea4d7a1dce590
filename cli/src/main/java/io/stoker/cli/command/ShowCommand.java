package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker show}. */
@Command(
    name = "show",
    description = {
      "Shows all that is known of a request.",
      "Where it stands, what it asks for, who posted it and when, what it depends on, each attempt",
      "of its job with why it ended, and whose job answered it. What looks like a secret in its",
      "environment is hidden."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker show train-042",
      "  stoker show train-042 --json | jq '.attempts[] | {number, host, stage, reason}'"
    })
public final class ShowCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      JsonNode details =
          session
              .requests()
              .details(id)
              .orElseThrow(() -> CliException.unknownId("nobody knows a request " + id));
      if (!format
          .format(json)
          .print(session.terminal(), List.of(details), any -> details.path("id").asText(id))) {
        new DetailsPrinter(session.terminal()).print(details);
      }
      return ExitCode.DONE;
    }
  }
}
