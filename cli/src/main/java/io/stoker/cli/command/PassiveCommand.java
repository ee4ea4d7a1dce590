package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.input.Values;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Passive;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.text.PlainText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker passive}. */
@Command(
    name = "passive",
    description = {
      "Shows jobs of type passive, which a person does, and asks what came of each.",
      "An answer is one or more numbers; JSON; ! and a reason if it failed; - if it succeeded",
      "without a value; or nothing, which leaves it for later. The end of the input ends it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker passive",
      "  stoker passive --list",
      "  stoker passive --json | jq -r .id",
      "  stoker finish taste-7 0.91"
    })
public final class PassiveCommand implements Callable<Integer> {
  private static final String FAILED = "!";
  private static final String NO_VALUE = "-";

  @Mixin private DataOption data;

  @Option(names = "--list", description = "Shows them, and asks nothing.")
  private boolean list;

  @Option(names = "--json", description = "As --list, one job a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      Passive passive = new Passive(session.rest());
      Terminal terminal = session.terminal();
      List<JsonNode> tasks = passive.tasks();
      if (json) {
        tasks.forEach(task -> terminal.out().println(Json.text(task)));
        return ExitCode.DONE;
      }
      if (tasks.isEmpty()) {
        terminal.note("nothing waits for a person");
      }
      BufferedReader answers =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (JsonNode task : tasks) {
        show(terminal, task);
        if (!list && !ask(terminal, passive, task.path("id").asText(), answers)) {
          return ExitCode.DONE;
        }
      }
      return ExitCode.DONE;
    }
  }

  static void show(Terminal terminal, JsonNode task) {
    terminal.out().println(PlainText.of(task.path("id").asText()));
    line(terminal, "command", command(task));
    line(terminal, "params", text(task.path("params")));
    line(terminal, "env", text(task.path("env")));
    line(terminal, "workdir", text(task.path("workdir")));
    line(terminal, "inputs", text(task.path("dependencies")));
    line(terminal, "host", text(task.path("host")));
    line(terminal, "since", Instant.ofEpochMilli(task.path("since").asLong()).toString());
  }

  private static void line(Terminal terminal, String name, String value) {
    if (!value.isEmpty()) {
      terminal.out().println("  %-8s %s".formatted(name, PlainText.of(value)));
    }
  }

  private static String command(JsonNode task) {
    return task.path("command")
        .valueStream()
        .map(JsonNode::asText)
        .map(word -> word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : Json.text(word))
        .collect(Collectors.joining(" "));
  }

  private static String text(JsonNode value) {
    if (value.isTextual()) {
      return value.asText();
    }
    return value.isMissingNode() || value.isNull() || value.isEmpty() ? "" : Json.text(value);
  }

  /** False at the end of the input. */
  private static boolean ask(
      Terminal terminal, Passive passive, String id, BufferedReader answers) {
    while (true) {
      terminal.out().print("  result? ");
      terminal.flush();
      String answer = read(answers);
      if (answer == null) {
        terminal.out().println();
        return false;
      }
      if (answer.isBlank()) {
        return true;
      }
      try {
        say(passive, id, answer.strip());
        return true;
      } catch (CliException e) {
        terminal.note(e.getMessage());
      }
    }
  }

  private static void say(Passive passive, String id, String answer) {
    if (answer.startsWith(FAILED)) {
      String reason = answer.substring(FAILED.length()).strip();
      passive.finish(id, null, reason.isEmpty() ? "failed, as a person said" : reason);
    } else if (answer.equals(NO_VALUE)) {
      passive.finish(id, null, null);
    } else if (answer.startsWith("{") || answer.startsWith("[") || answer.startsWith("\"")) {
      passive.finish(id, Values.json(answer), null);
    } else {
      passive.finish(id, Values.numbers(List.of(answer.split("\\s+"))).orElseThrow(), null);
    }
  }

  private static String read(BufferedReader answers) {
    try {
      return answers.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
