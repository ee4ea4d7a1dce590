package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.status.Score;
import io.stoker.cli.terminal.Table;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker results}. */
@Command(
    name = "results",
    description = {
      "Shows what a request's job has said of its result so far, in order.",
      "That is each line #stoker:result; the result it ends with is in its status."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker results train-042",
      "  stoker results train-042 --json | jq -r '[.at, .score] | @tsv'"
    })
public final class ResultsCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Option(names = "--json", description = "One of them a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      List<JsonNode> said =
          session
              .requests()
              .results(id)
              .orElseThrow(() -> CliException.unknownId("nobody knows a request " + id));
      if (json) {
        said.forEach(one -> session.terminal().out().println(Json.text(one)));
      } else if (said.isEmpty()) {
        session
            .terminal()
            .note("its job gave no results before its end; how it ended: stoker show " + id);
      } else {
        table(said).print(session.terminal());
      }
      return ExitCode.DONE;
    }
  }

  private static Table table(List<JsonNode> said) {
    Table table = new Table("ATTEMPT", "AT", "SCORE", "RESULT");
    for (JsonNode one : said) {
      JsonNode score = one.path("score");
      table.row(
          one.path("attempt").asText(),
          one.path("at").asText(),
          Score.text(score.isNumber() ? score.doubleValue() : null),
          one.has("result") ? Json.text(one.get("result")) : "too large to be shown");
    }
    return table;
  }
}
