package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker explain}. */
@Command(
    name = "explain",
    description = {
      "Says why a request is where it is, and what it waits for.",
      "For one in line: its place and who is before it, what every host says to it, and when it is",
      "expected to start, if that can be said."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker explain train-042",
      "  stoker explain train-042 --json | jq -r '.hosts[] | \"\\(.host) \\(.sentence)\"'"
    })
public final class ExplainCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  /** Dispatchers forget what was refused; the dead letters keep it. */
  private Optional<JsonNode> refused(Session session) {
    return session
        .deadLetters()
        .refused(Optional.empty(), letter -> letter.request().equals(id), 1)
        .letters()
        .stream()
        .findFirst()
        .map(
            letter ->
                Json.tree(
                    Map.of(
                        "id",
                        id,
                        "state",
                        RequestState.REJECTED,
                        "label",
                        RequestState.REJECTED,
                        "sentence",
                        "was refused, and never ran; "
                            + letter.refusal().path("reason").asText())));
  }

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      JsonNode why =
          session
              .requests()
              .explain(id)
              .or(() -> refused(session))
              .orElseThrow(() -> CliException.unknownId("nobody knows a request " + id));
      if (!format.format(json).print(session.terminal(), List.of(why), any -> id)) {
        new ExplanationPrinter(session.terminal()).print(why);
      }
      return ExitCode.DONE;
    }
  }
}
