package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.state.RequestState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * The requests that a command is about, where they are not named: all of a group or in some states.
 */
final class Chosen {
  /** What has not ended. */
  static final Set<RequestState> LIVE =
      Stream.of(RequestState.values())
          .filter(state -> !state.terminal())
          .collect(Collectors.toUnmodifiableSet());

  @Option(names = "--group", paramLabel = "G", description = "All of a group.")
  private String group;

  @Option(
      names = "--state",
      paramLabel = "S",
      split = ",",
      description = "All in these states, with commas; with --group of that group.")
  private Set<RequestState> states = EnumSet.noneOf(RequestState.class);

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask before it is done to many.")
  private boolean yes;

  /**
   * The ids that are meant.
   *
   * @param named those that were given; the others are looked for where there are none
   * @param usual the states that matter where none is given
   * @param what is to be done, as in {@code cancel 3 requests}
   * @throws CliException if both or neither are given, or the person at the terminal does not agree
   */
  List<String> ids(Session session, List<String> named, Set<RequestState> usual, String what) {
    boolean wanted = group != null || !states.isEmpty();
    if (named.isEmpty() != wanted) {
      throw CliException.usage("%s needs either ids, or --group or --state".formatted(what));
    }
    if (!wanted) {
      return named;
    }
    List<JsonNode> found =
        session
            .requests()
            .list(
                Requests.Filter.all(Integer.MAX_VALUE)
                    .with("group", group)
                    .in(states.isEmpty() ? usual : states))
            .requests();
    if (found.isEmpty()) {
      session.terminal().note("no such requests");
    } else {
      agree(session.terminal(), what, found);
    }
    return found.stream().map(one -> one.path("id").asText()).toList();
  }

  private void agree(Terminal terminal, String what, List<JsonNode> found) {
    Map<String, Long> counts =
        found.stream()
            .collect(
                Collectors.groupingBy(
                    one -> one.path("state").asText(), TreeMap::new, Collectors.counting()));
    String states =
        counts.entrySet().stream()
            .map(one -> one.getValue() + " " + one.getKey())
            .collect(Collectors.joining(", "));
    String sentence =
        "%s %d request%s (%s)".formatted(what, found.size(), found.size() == 1 ? "" : "s", states);
    if (yes || !terminal.asks()) {
      terminal.note(sentence);
      return;
    }
    terminal.err().print("stoker: " + sentence + "? [y/N] ");
    terminal.err().flush();
    if (!answer().strip().toLowerCase(Locale.ROOT).startsWith("y")) {
      throw CliException.failed("nothing was done");
    }
  }

  private static String answer() {
    try {
      String line =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }
}
