package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import io.stoker.common.size.Durations;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker queues}. */
@Command(
    name = "queues",
    description = {
      "Shows the queues: their jobs, weights, limits and shares.",
      "FIRST WAITS is how long ago the first in line arrived. WEIGHT SHARE is what a queue's weight is",
      "of the weights of all queues that have something to do.",
      "GPU TIME and SLOT TIME are what a queue has had of all that was had, of which half is forgotten",
      "in each half-life (stoker.fair-share.half-life)."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker queues", "  stoker queues --json | jq 'select(.queued > 0) | .queue'"})
public final class QueuesCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Option(names = "--json", description = "One queue a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      List<JsonNode> queues = session.fleet().queues();
      Format wanted = format.format(json);
      if (!wanted.print(session.terminal(), queues, queue -> queue.path("queue").asText())) {
        Table table =
            new Table(
                    "QUEUE",
                    "QUEUED",
                    "FIRST WAITS",
                    "PLACED OR RUNNING",
                    "WEIGHT",
                    "WEIGHT SHARE",
                    "MAX QUEUED",
                    "MAX RUNNING",
                    "GPU TIME",
                    "SLOT TIME")
                .lesser(
                    "MAX RUNNING", "MAX QUEUED", "WEIGHT", "WEIGHT SHARE", "SLOT TIME", "GPU TIME");
        queues.forEach(queue -> table.row(row(queue)));
        wanted.print(session.terminal(), table);
      }
      return ExitCode.DONE;
    }
  }

  private static Object[] row(JsonNode queue) {
    return new Object[] {
      queue.path("queue").asText(),
      queue.path("queued").asText(),
      waits(queue.path("headSince")),
      queue.path("open").asText(),
      new BigDecimal(queue.path("weight").asText("1")).stripTrailingZeros().toPlainString(),
      percent(queue.path("weightShare")),
      queue.path("maxQueued").asText("-"),
      queue.path("maxRunning").asText("-"),
      percent(queue.path("gpuShare")),
      percent(queue.path("slotShare"))
    };
  }

  private static String waits(JsonNode since) {
    if (!since.isTextual()) {
      return "-";
    }
    return Durations.text(Duration.between(Instant.parse(since.asText()), Instant.now()));
  }

  private static String percent(JsonNode share) {
    return share.isNumber() ? Math.round(share.asDouble() * 100) + " %" : "-";
  }
}
