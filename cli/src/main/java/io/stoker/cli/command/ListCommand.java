package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.deadletters.DeadLetter;
import io.stoker.cli.deadletters.DeadLetters;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.Watched;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Screen;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.state.RequestState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker list}. */
@Command(
    name = "list",
    description = {
      "Lists requests, newest first.",
      "REJECTED ones are read from the dead letters, which alone keep them."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker list --state RUNNING,QUEUED",
      "  stoker list --since 1d --user ada train.py",
      "  stoker list --label team=vision --columns id,state,elapsed,command --sort elapsed",
      "  stoker list --state FAILED -o name | xargs stoker retry",
      "  stoker list --group exp-1 --json | jq -r 'select(.state == \"FAILED\") | .id'"
    })
public final class ListCommand implements Callable<Integer> {
  private static final Duration REDRAW_APART = Duration.ofSeconds(1);
  private static final Duration REDRAW_AT_LEAST = Duration.ofSeconds(5);

  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(
      paramLabel = "TEXT",
      arity = "0..1",
      description = "Those with this in their id, the beginning of their command, or the reason.")
  private String text;

  @Option(
      names = "--state",
      paramLabel = "S",
      split = ",",
      description = "One or more of ${COMPLETION-CANDIDATES}, with commas.")
  private Set<RequestState> states = EnumSet.noneOf(RequestState.class);

  @Option(names = "--queue", paramLabel = "Q", description = "Those of one queue.")
  private String queue;

  @Option(names = "--group", paramLabel = "G", description = "Those of one group.")
  private String group;

  @Option(names = "--host", paramLabel = "H", description = "Those that run or ran on a host last.")
  private String host;

  @Option(names = "--user", paramLabel = "U", description = "Those whose user this is.")
  private String user;

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Those with this label; may be given again.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--prefix", paramLabel = "P", description = "Those whose id begins with it.")
  private String prefix;

  @Option(
      names = "--since",
      paramLabel = "D",
      converter = WhenConverter.class,
      description = "Those posted in the last 2h, 7d, or since a time in ISO 8601.")
  private Instant since;

  @Option(
      names = "--until",
      paramLabel = "D",
      converter = WhenConverter.class,
      description = "Those posted longer ago, or before a time.")
  private Instant until;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "At most so many, the newest. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--sort",
      paramLabel = "C",
      description = "By a column; -C the other way round. Default: newest first.")
  private String sort;

  @Option(
      names = "--columns",
      paramLabel = "C",
      split = ",",
      description = {
        "Of ${COMPLETION-CANDIDATES}, with commas.",
        "Default: ID to NOTE, those of them that are not empty."
      })
  private List<Column> columns = List.of();

  @Option(names = "--watch", description = "Draw it again when something changes, until Ctrl-C.")
  private boolean watch;

  @Option(names = "--json", description = "One status a line, with user and command.")
  private boolean json;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw CliException.usage("--limit is %d, expected 1 or more".formatted(limit));
    }
    Format wanted = format.format(json);
    if (watch && wanted != Format.TABLE && wanted != Format.WIDE) {
      throw CliException.usage("--watch draws a table, and --json, yaml and name print none");
    }
    try (Session session = new Session(data)) {
      if (watch) {
        watch(session);
      } else {
        print(session.terminal(), read(session), wanted);
      }
      return ExitCode.DONE;
    }
  }

  private Requests.Listed read(Session session) {
    Requests.Filter filter =
        Requests.Filter.all(limit)
            .with("queue", queue)
            .with("group", group)
            .with("host", host)
            .with("user", user)
            .with("prefix", prefix)
            .with("text", text)
            .with("since", since)
            .with("until", until);
    for (Map.Entry<String, String> label : labels.entrySet()) {
      filter = filter.with("label", label.getKey() + "=" + label.getValue());
    }
    Set<RequestState> kept =
        EnumSet.copyOf(states.isEmpty() ? Set.of(RequestState.values()) : states);
    kept.remove(RequestState.REJECTED);
    boolean refused = states.contains(RequestState.REJECTED);
    Requests.Listed listed =
        kept.isEmpty()
            ? new Requests.Listed(List.of(), false)
            : session.requests().list(states.isEmpty() ? filter : filter.in(kept));
    return refused ? with(refused(session), listed) : listed;
  }

  /** The dead letters have no columns to look for the rest of it. */
  private DeadLetters.Found refused(Session session) {
    if (queue != null || group != null || host != null || user != null || !labels.isEmpty()) {
      throw CliException.usage(
          "--state REJECTED goes with TEXT, --prefix, --since, --until and --limit: nothing else is"
              + " known of what was refused");
    }
    return session.deadLetters().refused(Optional.ofNullable(since), this::isWanted, limit);
  }

  private boolean isWanted(DeadLetter letter) {
    return (text == null || letter.holds(text))
        && (prefix == null || letter.request().startsWith(prefix))
        && (until == null || letter.at().isBefore(until));
  }

  private Requests.Listed with(DeadLetters.Found refused, Requests.Listed listed) {
    List<JsonNode> all = new ArrayList<>();
    refused.letters().reversed().forEach(letter -> all.add(letter.refusal()));
    all.addAll(listed.requests());
    return new Requests.Listed(
        all.subList(0, Math.min(all.size(), limit)),
        refused.more() || listed.more() || all.size() > limit);
  }

  private void print(Terminal terminal, Requests.Listed listed, Format wanted) {
    List<Column.Listed> rows = rows(listed);
    List<JsonNode> trees = rows.stream().map(Column.Listed::tree).toList();
    if (wanted.print(terminal, trees, one -> one.path("id").asText())) {
      // Nothing else is wanted of them.
    } else if (rows.isEmpty()) {
      terminal.note("no such requests");
    } else {
      List<Column> usual = wanted == Format.WIDE ? List.of(Column.values()) : Column.USUAL;
      List<Column> shown = columns.isEmpty() ? usual : columns;
      List<Column> lesser = columns.isEmpty() ? Column.LESSER : List.of();
      Table table = new Table(names(shown)).lesser(names(lesser));
      rows.forEach(row -> table.row(shown.stream().map(one -> one.of(row, wanted)).toArray()));
      wanted.print(terminal, table);
    }
    if (listed.more()) {
      terminal.note(
          "there are more: these are the newest %d, --limit N shows others".formatted(limit));
    }
  }

  private static String[] names(List<Column> some) {
    return some.stream().map(Column::name).toArray(String[]::new);
  }

  private List<Column.Listed> rows(Requests.Listed listed) {
    Instant now = Instant.now();
    List<Column.Listed> rows = new ArrayList<>();
    for (JsonNode tree : listed.requests()) {
      rows.add(new Column.Listed(Requests.status(tree), tree, now));
    }
    sort(rows);
    return rows;
  }

  private void sort(List<Column.Listed> rows) {
    if (sort == null) {
      return;
    }
    boolean reversed = sort.startsWith("-");
    String name = reversed ? sort.substring(1) : sort;
    for (Column column : Column.values()) {
      if (column.name().equalsIgnoreCase(name)) {
        rows.sort(reversed ? Collections.reverseOrder(column.order()) : column.order());
        return;
      }
    }
    throw CliException.usage(
        "--sort is %s, expected one of %s".formatted(sort, List.of(Column.values())));
  }

  private void watch(Session session) {
    Terminal terminal = session.terminal();
    if (!terminal.redraws()) {
      throw CliException.usage("--watch needs a terminal");
    }
    AtomicBoolean stopped = new AtomicBoolean();
    try (StatusTail tail = session.statusTail()) {
      // Who cannot be reached is said on the screen that stays.
      Watched<Requests.Listed> listed = new Watched<>(() -> read(session));
      Interrupts.onFirst(() -> stopped.set(true));
      try (Screen screen = new Screen(terminal.out())) {
        while (!stopped.get()) {
          screen.draw(drawn(listed, terminal));
          awaitChange(tail, stopped);
          listed.again();
        }
      }
    }
  }

  private static void awaitChange(StatusTail tail, AtomicBoolean stopped) {
    long start = System.nanoTime();
    boolean moved = false;
    long waited = 0;
    while (!stopped.get() && waited < (moved ? REDRAW_APART : REDRAW_AT_LEAST).toNanos()) {
      moved |= !tail.poll(Duration.ofMillis(250)).isEmpty();
      waited = System.nanoTime() - start;
    }
  }

  private String drawn(Watched<Requests.Listed> listed, Terminal terminal) {
    StringWriter drawing = new StringWriter();
    PrintWriter out = new PrintWriter(drawing);
    Terminal paper = new Terminal(out, out, terminal.colours(), true, true);
    listed
        .trouble()
        .map(why -> Terminal.unwrapped(why, Terminal.columns()))
        .ifPresent(why -> out.println(terminal.styled(Style.BAD, why)));
    print(paper, listed.last(), format.format(json));
    out.flush();
    return drawing.toString();
  }
}
