package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.text.PlainText;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Prints what the dispatcher knows of a request that waits. */
record ExplanationPrinter(Terminal terminal) {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;

  void print(JsonNode why) {
    Consumer<String> out = text -> terminal.out().println(PlainText.of(text));
    String id = why.path("id").asText();
    String state = why.path("state").asText();
    out.accept("%s %s: %s".formatted(id, state, why.path("sentence").asText()));
    if (why.hasNonNull("reason")) {
      out.accept("before: " + why.path("reason").asText());
    }
    if (why.hasNonNull("line")) {
      out.accept(line(why.path("line")));
    }
    if (why.hasNonNull("expected")) {
      JsonNode expected = why.path("expected");
      long seconds = Math.round(expected.path("inMs").asLong() / 1_000.0);
      out.accept(
          "expected to start in about %s: %s"
              .formatted(duration(seconds), expected.path("sentence").asText()));
    }
    if (why.hasNonNull("memory")) {
      out.accept("GPU memory: " + why.path("memory").path("sentence").asText());
    }
    if (why.hasNonNull("hostMemory")) {
      out.accept("host memory: " + why.path("hostMemory").path("sentence").asText());
    }
    if (!why.path("hosts").isEmpty()) {
      hosts(why.path("hosts"));
    }
  }

  private static String line(JsonNode line) {
    String ahead =
        StreamSupport.stream(line.path("ahead").spliterator(), false)
            .map(JsonNode::asText)
            .collect(Collectors.joining(", "));
    long place = line.path("place").asLong();
    long never = line.path("never").asLong();
    String hopeless = never == 0 ? "" : "; %d of those before it can never run".formatted(never);
    String more = place - 1 > line.path("ahead").size() ? ", ..." : "";
    String counted = line.path("atLeast").asBoolean() ? "at least " : "";
    String head = "queue %s: place %s%d".formatted(line.path("queue").asText(), counted, place);
    return ahead.isEmpty() ? head : head + "; before it: " + ahead + more + hopeless;
  }

  private void hosts(JsonNode hosts) {
    Table table = new Table("HOST", "OBSTACLE", "WHY");
    for (JsonNode host : hosts) {
      boolean free = !host.hasNonNull("obstacle");
      table.row(
          host.path("host").asText(),
          new Cell(free ? "-" : host.path("obstacle").asText(), free ? Style.GOOD : Style.WAITING),
          host.path("sentence").asText());
    }
    table.print(terminal);
  }

  private static String duration(long seconds) {
    if (seconds >= 2 * HOUR) {
      return Math.round(seconds / (double) HOUR) + " h";
    }
    return seconds >= 2 * MINUTE ? Math.round(seconds / (double) MINUTE) + " min" : seconds + " s";
  }
}
