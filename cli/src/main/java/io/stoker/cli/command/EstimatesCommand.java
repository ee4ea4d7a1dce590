package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import io.stoker.common.json.Json;
import io.stoker.common.size.ByteSize;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker estimates}. */
@Command(
    name = "estimates",
    description = {
      "Shows how much memory jobs are expected to take, as learned.",
      "That is from those that were measured. What is known of one request's job says",
      "'stoker explain ID'."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker estimates",
      "  stoker estimates train.py --of gpu",
      "  stoker estimates --equal --json | jq 'select(.seen > 10)'"
    })
public final class EstimatesCommand implements Callable<Integer> {
  private static final int SHOWN = 80;

  /** Which memory. */
  enum Of {
    gpu,
    host
  }

  @Mixin private DataOption data;

  @Parameters(
      arity = "0..1",
      paramLabel = "TEXT",
      defaultValue = "",
      description =
          "Only of jobs whose kind or command holds this; with --equal, whose fingerprint.")
  private String text;

  @Option(
      names = "--of",
      paramLabel = "MEMORY",
      description = "Only of this memory: ${COMPLETION-CANDIDATES}.")
  private Of of;

  @Option(
      names = "--equal",
      description = "Of equal jobs, by fingerprint, instead of jobs that are alike.")
  private boolean equal;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "So many at most. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--json", description = "One estimate a line, with the newest peaks.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      String memory = of == null ? null : of.name();
      String from = equal ? "EQUAL_JOBS" : "LIKE_JOBS";
      List<JsonNode> known = session.fleet().estimates(memory, from, text, limit);
      if (json) {
        known.forEach(one -> session.terminal().out().println(Json.text(one)));
      } else if (known.isEmpty()) {
        session.terminal().note("nothing was measured yet of such jobs");
      } else {
        Table table = new Table("OF", "EXPECTED", "HIGHEST", "MEASURED", "JOBS");
        known.forEach(one -> table.row(row(one)));
        table.print(session.terminal());
      }
      return ExitCode.DONE;
    }
  }

  private static Object[] row(JsonNode one) {
    return new Object[] {
      one.path("of").asText().toLowerCase(Locale.ROOT),
      ByteSize.text(one.path("bytes").asLong()),
      ByteSize.text(one.path("highest").asLong()),
      one.path("seen").asLong(),
      shortened(one.path("jobs").asText())
    };
  }

  private static String shortened(String text) {
    return Format.TABLE.cut(text.replace('\n', ' '), SHOWN);
  }
}
