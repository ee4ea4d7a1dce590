package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.json.Json;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker reload}. */
@Command(
    name = "reload",
    description = {
      "Has the dispatchers read their file of kinds again; what runs goes on.",
      "A file that is wrong is refused, with its line, and what was in force stays: exit code 2."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker reload", "  stoker reload --json | jq .generation"})
public final class ReloadCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      JsonNode reloaded = session.fleet().reload();
      boolean applied = reloaded.path("applied").asBoolean();
      String message = reloaded.path("message").asText();
      String said =
          "%s: %s; generation %d"
              .formatted(
                  applied ? "applied" : "refused", message, reloaded.path("generation").asLong());
      if (json) {
        session.terminal().out().println(Json.text(reloaded));
      } else if (applied) {
        session.terminal().out().println(said);
      } else {
        session.terminal().note(said);
      }
      return applied ? ExitCode.DONE : ExitCode.USAGE;
    }
  }
}
