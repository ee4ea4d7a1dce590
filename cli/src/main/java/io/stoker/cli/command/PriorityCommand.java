package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker priority}. */
@Command(
    name = "priority",
    description = {
      "Gives requests that have not ended another priority.",
      "From -1000 to 1000, higher first. A job that requests share has the highest of theirs."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker priority train-042 100",
      "  stoker priority train-042 -- -5",
      "  stoker priority --group exp-1 --state QUEUED 100"
    })
public final class PriorityCommand implements Callable<Integer> {
  private static final int MOST = 1000;

  @Mixin private DataOption data;

  @Parameters(
      paramLabel = "ID... N",
      hideParamSyntax = true,
      arity = "1..*",
      description = "Ids of requests, and the priority.")
  private List<String> words;

  @Mixin private Chosen chosen;

  @Option(names = "--json", description = "Print {\"id\", \"priority\"} a line.")
  private boolean json;

  @Override
  public Integer call() {
    int priority = priority(words.getLast());
    List<String> named = words.subList(0, words.size() - 1);
    try (Session session = new Session(data)) {
      return session.each(
          chosen.ids(session, named, Chosen.LIVE, "priority " + priority + " for"),
          id -> prioritised(session, id, priority, named.isEmpty()));
    }
  }

  /** Of many, one may have ended meanwhile. */
  private boolean prioritised(Session session, String id, int priority, boolean many) {
    try {
      boolean known = session.requests().prioritise(id, priority);
      if (known) {
        session
            .terminal()
            .out()
            .println(json ? Json.text(Map.of("id", id, "priority", priority)) : id);
      }
      return known;
    } catch (CliException e) {
      if (many && e.exitCode() == ExitCode.USAGE) {
        session.terminal().note(e.getMessage());
        return true;
      }
      throw e;
    }
  }

  private static int priority(String word) {
    if (!word.matches("[+-]?\\d{1,4}") || Math.abs(Integer.parseInt(word)) > MOST) {
      throw CliException.usage("N is %s, expected -1000 to 1000".formatted(word));
    }
    return Integer.parseInt(word);
  }
}
