package io.stoker.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.command.Connection;
import io.stoker.cli.command.DataOption;
import io.stoker.cli.command.DurationConverter;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.rest.Watched;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Keys;
import io.stoker.cli.terminal.Screen;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker top}. */
@Command(
    name = "top",
    description = {
      "Shows hosts, GPUs, queues and running jobs, live.",
      "Of GPUs, memory, temperature and use; of the longest lines who is first and why it waits. On a",
      "terminal it is drawn again each second until q is pressed; s puts the jobs in another order, and",
      "/ asks for a text that is to be in what is shown. Elsewhere it is printed once, as wide as",
      "COLUMNS says."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker top",
      "  stoker top --interval 5s --jobs 100",
      "  stoker top --json | jq '.hosts[].telemetry'"
    })
public final class TopCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Mixin private DataOption data;

  @Option(
      names = "--interval",
      paramLabel = "D",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "How often it is drawn. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "20",
      description = "Running jobs at most. Default: ${DEFAULT-VALUE}.")
  private int jobs;

  @Option(names = "--once", description = "Print it once, on a terminal too.")
  private boolean once;

  @Option(names = "--json", description = "One JSON object, once.")
  private boolean json;

  @Override
  public Integer call() {
    if (jobs < 0) {
      throw CliException.usage("--jobs is %d, expected 0 or more".formatted(jobs));
    }
    if (interval.compareTo(SHORTEST) < 0) {
      throw CliException.usage("--interval is %s, expected 100ms or more".formatted(interval));
    }
    Terminal terminal = data.terminal();
    try (RestClient rest = Connection.of(data).rest()) {
      Line line = new Line(new Requests(rest));
      if (json) {
        terminal.out().println(json(picture(rest, line)));
      } else if (once || !terminal.redraws()) {
        new TopView(terminal, new Layout(Terminal.columns()), Wish.FIRST)
            .print(picture(rest, line));
      } else {
        return live(terminal, rest, line);
      }
      terminal.flush();
      return ExitCode.DONE;
    }
  }

  private int live(Terminal terminal, RestClient rest, Line line) {
    // Whoever cannot be reached is said on the screen that stays.
    Watched<Picture> picture = new Watched<>(() -> picture(rest, line));
    Thread asking = Thread.currentThread();
    Interrupts.onFirst(
        () -> {
          asking.interrupt();
          rest.close();
        });
    Wish wish = Wish.FIRST;
    try (Keys keys = Keys.open();
        Screen screen = new Screen(terminal.out())) {
      while (!wish.over()) {
        screen.draw(drawn(picture, wish, terminal));
        Optional<Character> key = keys.next(interval);
        if (key.isPresent()) {
          wish = wish.after(key.get());
        } else {
          picture.again();
        }
      }
      return ExitCode.DONE;
    } catch (InterruptedException e) {
      return ExitCode.DONE;
    } catch (CliException e) {
      if (Thread.currentThread().isInterrupted()) {
        return ExitCode.DONE; // in the middle of an answer
      }
      throw e;
    }
  }

  private static String drawn(Watched<Picture> picture, Wish wish, Terminal terminal) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    Terminal paper = new Terminal(out, terminal.err(), terminal.colours(), true, true);
    Layout layout = new Layout(Terminal.columns());
    out.println(layout.wrapped(wish.keys()));
    picture
        .trouble()
        .ifPresent(why -> out.println(terminal.styled(Style.BAD, layout.wrapped(why))));
    new TopView(paper, layout, wish).print(picture.last());
    out.flush();
    return text.toString();
  }

  private Picture picture(RestClient rest, Line line) {
    Fleet fleet = new Fleet(rest);
    Requests.Filter running = Requests.Filter.all(jobs).in(List.of(RequestState.RUNNING));
    List<JsonNode> queues = fleet.queues();
    return new Picture(
        fleet.hosts(),
        queues,
        jobs == 0
            ? List.of()
            : new Requests(rest).list(running).requests().stream().map(Requests::status).toList(),
        line.first(queues),
        Instant.now());
  }

  private static String json(Picture picture) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("hosts", Json.tree(picture.hosts()));
    tree.set("queues", Json.tree(picture.queues()));
    tree.set("running", Json.tree(picture.running()));
    tree.set("line", Json.tree(picture.line()));
    return Json.text(tree);
  }
}
