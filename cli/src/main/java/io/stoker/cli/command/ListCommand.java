package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.CliException;
import io.stoker.cli.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker list}. */
@Command(
    name = "list",
    description = "Lists requests.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker list --state RUNNING",
      "  stoker list --group exp-1 --json | jq -r 'select(.state == \"FAILED\") | .id'"
    })
public final class ListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--state", paramLabel = "S", description = "One of ${COMPLETION-CANDIDATES}.")
  private RequestState state;

  @Option(names = "--queue", paramLabel = "Q", description = "Those of one queue.")
  private String queue;

  @Option(names = "--group", paramLabel = "G", description = "Those of one group.")
  private String group;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "At most so many. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--json", description = "One status a line.")
  private boolean json;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw CliException.usage("--limit is %d, expected 1 or more".formatted(limit));
    }
    try (Session session = new Session(spec, data)) {
      List<JsonNode> found =
          session
              .requests()
              .list(
                  new Requests.Filter(
                      Optional.ofNullable(state),
                      Optional.ofNullable(queue),
                      Optional.ofNullable(group),
                      limit));
      if (json) {
        found.forEach(status -> session.terminal().out().println(Json.text(status)));
      } else if (found.isEmpty()) {
        session.terminal().note("no such requests");
      } else {
        new StatusPrinter(session.terminal()).table(found.stream().map(Requests::status).toList());
      }
      return ExitCode.DONE;
    }
  }
}
