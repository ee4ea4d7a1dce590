package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.terminal.Format;
import io.stoker.common.message.RequestStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker status}. */
@Command(
    name = "status",
    description = "Shows where requests stand.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker status train-042",
      "  stoker status --json train-042 | jq .result",
      "  stoker status train-042 train-043"
    })
public final class StatusCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "Ids of requests.")
  private List<String> ids;

  @Option(names = "--json", description = "One status a line, as on the status topic.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      List<JsonNode> found = new ArrayList<>();
      List<String> unknown = new ArrayList<>();
      for (String id : ids) {
        Optional<JsonNode> status = session.requests().tree(id);
        status.ifPresentOrElse(found::add, () -> unknown.add(id));
      }
      print(session, found);
      unknown.forEach(id -> session.terminal().note("nobody knows a request " + id));
      return unknown.isEmpty() ? ExitCode.DONE : ExitCode.UNKNOWN_ID;
    }
  }

  private void print(Session session, List<JsonNode> found) {
    Format wanted = format.format(json);
    if (wanted.print(session.terminal(), found, status -> status.path("id").asText())) {
      return;
    }
    List<RequestStatus> statuses = found.stream().map(Requests::status).toList();
    StatusPrinter printer = new StatusPrinter(session.terminal());
    if (ids.size() == 1) {
      statuses.forEach(printer::block);
    } else if (!statuses.isEmpty()) {
      printer.table(statuses, wanted);
    }
  }
}
