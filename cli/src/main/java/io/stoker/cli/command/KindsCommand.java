package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker kinds}. */
@Command(
    name = "kinds",
    description = {"Shows the kinds of requests that the configuration has."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker kinds",
      "  stoker kinds --json | jq '.definition.params'",
      "  echo '{\"id\": \"c-1\", \"kind\": \"classifier\", \"params\": {\"depth\": 3}}' | stoker submit -"
    })
public final class KindsCommand implements Callable<Integer> {
  private static final int SHOWN = 60;

  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Option(names = "--json", description = "One kind a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      List<JsonNode> kinds = session.fleet().kinds();
      Format wanted = format.format(json);
      if (wanted.print(session.terminal(), kinds, kind -> kind.path("kind").asText())) {
        return ExitCode.DONE;
      }
      if (kinds.isEmpty()) {
        session.terminal().note("no kinds are configured: see stoker.kinds.file in the docs");
      } else {
        Table table = new Table("KIND", "QUEUE", "PRIORITY", "GPUS", "PARAMS", "POOL", "COMMAND");
        kinds.forEach(kind -> table.row(row(kind, wanted)));
        wanted.print(session.terminal(), table);
      }
      return ExitCode.DONE;
    }
  }

  private static Object[] row(JsonNode kind, Format format) {
    JsonNode definition = kind.path("definition");
    return new Object[] {
      kind.path("kind").asText(),
      definition.path("queue").asText(""),
      definition.path("priority").asText(""),
      definition.path("resources").path("gpus").asText(""),
      params(definition.path("params"), format),
      definition.path("workers").asText(""),
      command(
          kind.has("pool") ? kind.path("pool").path("command") : definition.path("command"), format)
    };
  }

  /** With their defaults; those without one are to be given. */
  private static String params(JsonNode params, Format format) {
    return params.properties().stream()
        .map(
            one ->
                one.getValue().isNull()
                    ? one.getKey()
                    : one.getKey() + "=" + shortened(one.getValue().asText(), format))
        .collect(Collectors.joining(" "));
  }

  private static String command(JsonNode command, Format format) {
    return shortened(
        command.valueStream().map(JsonNode::asText).collect(Collectors.joining(" ")), format);
  }

  private static String shortened(String text, Format format) {
    return format.cut(text.replace('\n', ' '), SHOWN);
  }
}
