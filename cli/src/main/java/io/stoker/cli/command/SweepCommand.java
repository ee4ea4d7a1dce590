package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.input.DocumentFile;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.sweep.Sweep;
import io.stoker.cli.sweep.SweepRun;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker sweep}. */
@Command(
    name = "sweep",
    description = {
      "Tries many configurations of one request, and shows the best.",
      "The file holds one object, as YAML or JSON: request (the base, with $${params.x} filled in),",
      "grid (parameter: values, every combination), cases (a list of parameters, each with every",
      "combination), or random (parameter: values, or min and max, with scale: log and",
      "integer: true) with samples and seed; objective (max, min), parallel, failure (stop, ignore),",
      "retries, resultLabels, earlyStopping, after, name. Ctrl-C stops the experiment and waits",
      "until all of it has ended; a second one leaves at once. With --detach it goes on by itself."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:FINISHED, and something of it succeeded",
      "1:FAILED or STOPPED, or nothing succeeded",
      "2:bad usage or input",
      "3:the stack cannot be reached",
      "130:stopped by Ctrl-C"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker sweep examples/iris/sweep.yaml",
      "  stoker sweep lr.yaml --policy median --parallel 8",
      "  stoker sweep lr.yaml --dry-run | head       the requests, and none is posted",
      "  stoker sweep lr.yaml --json | tail -1 | jq .experiment.best",
      "  stoker sweep lr.yaml --detach && stoker group lr"
    })
public final class SweepCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "FILE", description = "The sweep; - is standard input.")
  private String file;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description =
          "Stop early what is worse than its peers, by median, bandit, truncation or curve_fitting;"
              + " none stops nothing. Default: the file's.")
  private String policy;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "So many at once. Default: the file's.")
  private Integer parallel;

  @Option(names = "--detach", description = "Return when all is posted, and print its name.")
  private boolean detach;

  @Option(names = "--dry-run", description = "Print the requests, and post none.")
  private boolean dryRun;

  @Option(
      names = "--json",
      description = "Print each final status, as it ends, and last the group with its best.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    Sweep sweep = sweep();
    try (Session session = new Session(data)) {
      Terminal terminal = session.terminal();
      if (dryRun) {
        sweep
            .requests(sweep.name())
            .forEach(
                trial ->
                    terminal
                        .out()
                        .println(new String(trial.request().body(), StandardCharsets.UTF_8)));
        return ExitCode.DONE;
      }
      SweepRun run =
          new SweepRun(
              new Groups(session.rest()),
              session.requests(),
              session.kafka(),
              session.topics(),
              terminal);
      Interrupts.onFirst(() -> stop(run, terminal, true));
      return end(terminal, run, run.run(sweep, !detach, !json, status -> ended(terminal, status)));
    }
  }

  private Sweep sweep() {
    String name =
        file.equals("-")
            ? "sweep"
            : Path.of(file).getFileName().toString().replaceFirst("\\.[^.]*$", "");
    Sweep sweep = Sweep.of(DocumentFile.read(file, System.in), name);
    sweep = policy == null ? sweep : sweep.stoppedBy(policy);
    if (parallel != null && parallel < 1) {
      throw CliException.usage("--parallel: %d, expected 1 or more".formatted(parallel));
    }
    return parallel == null ? sweep : sweep.parallel(parallel);
  }

  private static void stop(SweepRun run, Terminal terminal, boolean again) {
    try {
      if (run.stop().isEmpty()) {
        Runtime.getRuntime().halt(Interrupts.EXIT_CODE);
      }
      terminal.note("stopping it: what runs is told to end; Ctrl-C again leaves at once");
    } catch (CliException e) {
      terminal.note(e.getMessage() + (again ? ", or Ctrl-C, which tries once more" : ""));
      if (!again) {
        Runtime.getRuntime().halt(Interrupts.EXIT_CODE);
      }
      Interrupts.onFirst(() -> stop(run, terminal, false));
    }
  }

  private void ended(Terminal terminal, RequestStatus status) {
    if (json) {
      terminal.out().println(Json.text(status));
      terminal.flush();
    }
  }

  private int end(Terminal terminal, SweepRun run, JsonNode group) {
    String name = group.path("group").asText();
    if (json) {
      terminal.out().println(Json.text(group));
    }
    if (detach) {
      if (!json) {
        terminal.out().println(name);
      }
      return ExitCode.DONE;
    }
    JsonNode experiment = group.path("experiment");
    String state = experiment.path("state").asText();
    String reason = experiment.path("reason").asText();
    terminal.note(
        "%s is %s: %d of %d succeeded, %d failed, %d cancelled, in %s%s"
            .formatted(
                name,
                state,
                group.path("succeeded").asLong(),
                group.path("total").asLong(),
                group.path("failed").asLong(),
                group.path("cancelled").asLong(),
                group.path("elapsed").asText(),
                reason.isEmpty() ? "" : "; " + reason));
    if (group.path("succeeded").asLong() > 0 && !experiment.has("best")) {
      terminal.note(
          "none has a score, so none is the best: a job prints #stoker:result and a number, or"
              + " writes one to $STOKER_RESULT");
    }
    if (run.stopped()) {
      return Interrupts.EXIT_CODE;
    }
    boolean good = state.equals("FINISHED") && group.path("succeeded").asLong() > 0;
    return good ? ExitCode.DONE : ExitCode.FAILED;
  }
}
