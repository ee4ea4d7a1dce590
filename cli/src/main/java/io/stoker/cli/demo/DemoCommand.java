package io.stoker.cli.demo;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.TemporaryData;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker demo}. */
@Command(
    name = "demo",
    description = {
      "Runs a graph of jobs on a stack of its own, and shows what came of it.",
      "It is that of examples/iris. Nothing is left behind. Exit code 0 only if everything came out as",
      "expected."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker demo",
      "  stoker demo | cat          plain lines instead of bars",
      "  stoker demo --json | jq -r '[.id, .state] | @tsv'"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Spec private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print the final statuses alone, one a line, as on the status topic.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.of(spec);
    Thread worker = Thread.currentThread();
    Interrupts.onFirst(worker::interrupt);
    List<DemoStep> steps = steps(Home.locate());
    try (TemporaryData data = TemporaryData.create("stoker-demo-")) {
      return run(terminal, data.folder(), steps, json);
    } catch (InterruptedException e) {
      terminal.note("interrupted: everything is stopped and removed");
      return Interrupts.EXIT_CODE;
    }
  }

  private static int run(Terminal terminal, DataFolder data, List<DemoStep> steps, boolean json)
      throws IOException, InterruptedException {
    terminal.note(
        "starting Kafka, Postgres, Redis, a dispatcher and an agent in %s ...".formatted(data));
    List<String> surprises;
    try (EmbeddedStack stack = EmbeddedStack.start(data, StackOptions.DEFAULT, terminal::note)) {
      DemoShow show =
          json ? new DemoStatuses(terminal) : new DemoScreen(terminal, terminal.redraws());
      surprises = new Demo(show, LIMIT).run(stack.info(), steps);
      terminal.note("stopping ...");
    }
    if (!surprises.isEmpty()) {
      throw CliException.failed(
          "not as expected:%n  %s"
              .formatted(String.join(System.lineSeparator() + "  ", surprises)));
    }
    return ExitCode.DONE;
  }

  private static List<DemoStep> steps(Home home) throws IOException {
    Path examples = home.root().resolve("examples");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return new DemoGraph(Map.of("${java}", java.toString(), "${examples}", examples.toString()))
        .read(examples.resolve("iris/graph.jsonl"));
  }
}
