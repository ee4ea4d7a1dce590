package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.ExitCode;
import io.stoker.cli.terminal.Table;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker queues}. */
@Command(
    name = "queues",
    description = {"Shows the queues that have jobs."},
    footerHeading = "%nExamples:%n",
    footer = {"  stoker queues"})
public final class QueuesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--json", description = "One queue a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(spec, data)) {
      List<JsonNode> queues = session.fleet().queues();
      if (json) {
        queues.forEach(queue -> session.terminal().out().println(Json.text(queue)));
      } else if (queues.isEmpty()) {
        session.terminal().note("no jobs are queued or running");
      } else {
        Table table = new Table("QUEUE", "QUEUED", "PLACED OR RUNNING");
        queues.forEach(
            queue ->
                table.row(
                    queue.path("queue").asText(),
                    queue.path("queued").asText(),
                    queue.path("open").asText()));
        table.print(session.terminal());
      }
      return ExitCode.DONE;
    }
  }
}
