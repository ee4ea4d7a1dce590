package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.deadletters.DeadLetter;
import io.stoker.cli.deadletters.DeadLetters;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import io.stoker.common.json.Json;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker dead-letters}. */
@Command(
    name = "dead-letters",
    description = {
      "Shows records that were set aside because they are wrong; the newest last.",
      "Such are requests that were refused, and messages that nobody can read or believe."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker dead-letters",
      "  stoker dead-letters --since 2h train-042",
      "  stoker dead-letters --topic stoker.requests --json | jq -r .value"
    })
public final class DeadLettersCommand implements Callable<Integer> {
  private static final int SHOWN = 60;

  @Mixin private DataOption data;
  @Mixin private FormatOption format;
  @Mixin private NewestOptions newest;

  @Parameters(
      paramLabel = "TEXT",
      arity = "0..1",
      description = "Only those whose topic, key, reason or value holds this.")
  private String text;

  @Option(names = "--topic", paramLabel = "T", description = "Only those that came by this topic.")
  private String topic;

  @Option(names = "--json", description = "One a line, with all that is kept of its value.")
  private boolean json;

  @Override
  public Integer call() {
    int limit = newest.limit();
    try (Session session = new Session(data)) {
      DeadLetters.Found found = session.deadLetters().newest(newest.since(), wanted(), limit);
      Format wanted = format.format(json);
      List<JsonNode> trees = found.letters().stream().map(one -> Json.tree(one.fields())).toList();
      if (wanted.print(session.terminal(), trees, one -> one.path("key").asText())) {
        // Nothing else is wanted of them.
      } else if (found.letters().isEmpty()) {
        session.terminal().note("no such dead letters");
      } else {
        Table table = new Table("AT", "TOPIC", "KEY", "REASON", "VALUE");
        found.letters().forEach(one -> table.row(row(one, wanted)));
        wanted.print(session.terminal(), table);
      }
      if (found.more()) {
        session.terminal().note("there are older ones: --limit shows more than " + limit);
      }
      return ExitCode.DONE;
    }
  }

  private Optional<Predicate<DeadLetter>> wanted() {
    return text == null && topic == null
        ? Optional.empty()
        : Optional.of(
            letter ->
                (text == null || letter.holds(text))
                    && (topic == null || letter.topic().equals(topic)));
  }

  private static Object[] row(DeadLetter letter, Format format) {
    return new Object[] {
      letter.at().truncatedTo(ChronoUnit.SECONDS),
      letter.topic(),
      oneLine(letter.key()),
      oneLine(letter.reason()),
      format.cut(oneLine(letter.value()), SHOWN)
    };
  }

  private static String oneLine(String text) {
    return text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
  }
}
