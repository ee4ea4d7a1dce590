package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Prints all that the dispatcher knows of a request. */
final class DetailsPrinter {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");
  private static final Set<String> OPEN = Set.of("PLACED", "ACCEPTED", "RUNNING");

  /** What is shown by lines of its own, or is part of the status. */
  private static final Set<String> SHOWN =
      Set.of(
          "id", "command", "env", "params", "resources", "dependsOn", "labels", "queue", "group");

  private final Terminal terminal;
  private final StatusPrinter lines;

  DetailsPrinter(Terminal terminal) {
    this.terminal = terminal;
    lines = new StatusPrinter(terminal);
  }

  void print(JsonNode details) {
    lines.block(Requests.status(details.path("status")));
    JsonNode end = details.path("expectedEnd");
    if (end.isObject()) {
      String at = end.has("at") ? "about " + end.path("at").asText() : "later than expected";
      lines.line("ends", "%s: %s".formatted(at, end.path("sentence").asText()));
    }
    request(details.path("request"));
    details
        .path("dependencies")
        .forEach(
            one ->
                lines.line(
                    "needs",
                    one.path("id").asText()
                        + " "
                        + one.path("state").asText("never posted")
                        + (one.has("condition")
                            ? ", once it has " + one.path("condition").asText()
                            : "")));
    JsonNode by = details.path("answeredBy");
    if (by.isObject()) {
      String how = by.path("cached").asBoolean() ? "had succeeded before" : "shared while it ran";
      lines.line(
          "answer",
          "of job %s of %s, %s"
              .formatted(by.path("job").asText(), by.path("request").asText(), how));
    }
    attempts(details);
  }

  private void request(JsonNode request) {
    lines.line("command", command(request.path("command")));
    each("resources", request.path("resources"));
    each("env", request.path("env"));
    if (request.has("params")) {
      lines.line("params", Json.text(request.path("params")));
    }
    each("labels", request.path("labels"));
    request
        .properties()
        .forEach(
            one -> {
              if (!SHOWN.contains(one.getKey())) {
                lines.line(one.getKey(), value(one.getValue()));
              }
            });
  }

  /** As a shell would take it. */
  private static String command(JsonNode command) {
    return command
        .valueStream()
        .map(JsonNode::asText)
        .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private void each(String name, JsonNode object) {
    object
        .properties()
        .forEach(one -> lines.line(name, one.getKey() + "=" + value(one.getValue())));
  }

  private static String value(JsonNode value) {
    return value.isValueNode() ? value.asText() : Json.text(value);
  }

  private void attempts(JsonNode details) {
    JsonNode attempts = details.path("attempts");
    if (attempts.isEmpty()) {
      return;
    }
    terminal.out().println();
    Table table =
        new Table(
            "ATTEMPT", "RANK", "HOST", "DEVICES", "PLACED", "STARTED", "ENDED", "STATE", "EXIT",
            "WHY");
    attempts.forEach(one -> table.row(row(one)));
    table.print(terminal);
    if (details.has("attemptsLeftOut")) {
      terminal.out().printf("%d more are not kept%n", details.path("attemptsLeftOut").asLong());
    }
  }

  private static Object[] row(JsonNode one) {
    return new Object[] {
      one.path("number").asText(),
      one.path("rank").asText(),
      one.path("host").asText(),
      one.path("devices").valueStream().map(JsonNode::asText).collect(Collectors.joining(" ")),
      time(one.path("placedAt")),
      time(one.path("startedAt")),
      time(one.path("endedAt")),
      stage(one.path("stage").asText()),
      one.path("exitCode").asText(),
      why(one)
    };
  }

  /** To the second. */
  private static String time(JsonNode at) {
    return at.asText().replaceFirst("[.]\\d+Z$", "Z");
  }

  private static Cell stage(String stage) {
    if (stage.equals("SUCCEEDED")) {
      return new Cell(stage, Style.GOOD);
    }
    return new Cell(stage, OPEN.contains(stage) ? Style.WAITING : Style.PLAIN);
  }

  private static String why(JsonNode one) {
    return List.of(one.path("category").asText(), one.path("reason").asText()).stream()
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(": "))
        .replaceAll("\\s+", " ");
  }
}
