package io.stoker.cli.command;

import io.stoker.cli.input.Submission;
import io.stoker.cli.kafka.LostConnection;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.run.JobFollower;
import io.stoker.cli.run.JobOutput;
import io.stoker.cli.run.OthersOutput;
import io.stoker.cli.run.RunOptions;
import io.stoker.cli.status.WhyWaiting;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import io.stoker.cli.terminal.Terminals;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker run}. */
@Command(
    name = "run",
    description = {
      "Runs a command as a job, follows its output, and ends with its exit code.",
      "It always runs, whatever ran before, unless --share is given. On a local stack it runs in this",
      "folder. What does not start at once says why. Ctrl-C cancels it, a second one leaves at once.",
      "Ctrl-Z, a terminal that closes and a lost connection leave it running, and say how to come back.",
      "What follows COMMAND is the command's, options too."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "2:bad usage",
      "3:the stack cannot be reached, or not any more",
      "125:the job ended without an exit code, or with 0 though it did not succeed",
      "130:cancelled by Ctrl-C",
      "148:left running by Ctrl-Z or a terminal that closed",
      "N:else the job's own; with --detach 0 once it is posted"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker run nvidia-smi",
      "  stoker run --gpus 1 --gpu-memory 6GiB --timeout 2h python3 train.py --lr 0.1",
      "  stoker run --hosts 2 --gpus 8 -- torchrun-node.sh train.py",
      "  stoker run --detach --id nightly --label team=vision ./nightly.sh",
      "  stoker run --share ./features.sh      only if nobody has run it yet",
      "  zcat words.gz | stoker run -i wc -l",
      "  stoker run -- sh -c 'echo hi; exit 7'"
    })
public final class RunCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private RunOptions options;

  @Option(names = "--id", paramLabel = "ID", description = "Its id. Default: one is made.")
  private String id;

  @Option(
      names = {"-d", "--detach"},
      description = "Print its id once it is posted, and leave it running.")
  private boolean detach;

  @Option(
      names = {"-i", "--stdin"},
      description = "Give it what is read here, to its end: 90 KiB at most.")
  private boolean stdin;

  @Option(
      names = "--json",
      description = "Print the final status in place of the output; with --detach {\"id\"}.")
  private boolean json;

  @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "Program and arguments.")
  private List<String> command;

  private volatile boolean interrupted;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      String name = id == null ? "run-" + UUID.randomUUID() : id;
      Submission request = request(session, name);
      return detach ? detached(session, request) : follow(session, request);
    }
  }

  private int detached(Session session, Submission request) {
    refuseTaken(session, request.id());
    session.requests().post(List.of(request));
    session.terminal().out().println(json ? Json.text(Map.of("id", request.id())) : request.id());
    return ExitCode.DONE;
  }

  /** The same id with the same content would be the same request, which may have run long ago. */
  private void refuseTaken(Session session, String name) {
    if (id != null && session.requests().find(name).isPresent()) {
      throw CliException.usage("--id is %s, which is taken: expected a new id".formatted(name));
    }
  }

  private int follow(Session session, Submission request) {
    String name = request.id();
    Requests requests = session.requests();
    refuseTaken(session, name);
    OutputStream nowhere = OutputStream.nullOutputStream();
    JobOutput output =
        json
            ? new JobOutput(nowhere, nowhere)
            : new JobOutput(System.out, System.err).on(Terminals.found());
    try (JobFollower follower =
        JobFollower.open(session.kafka(), session.topics(), name, output, others(session))) {
      Interrupts.onFirst(
          () -> {
            interrupted = true;
            session.terminal().note("cancelling %s; Ctrl-C again leaves at once".formatted(name));
            follower.cancel();
          });
      requests.post(List.of(request));
      Interrupts.onLeaving(() -> session.terminal().note(comeBack(name)));
      WhyWaiting why = new WhyWaiting(requests::explain, session.terminal()::note);
      RequestStatus end = follower.awaitEnd(() -> cancel(requests, name), why);
      if (json) {
        session.terminal().out().println(Json.text(end));
      }
      return exitCode(session.terminal(), end, interrupted);
    } catch (LostConnection e) {
      throw e.with("; " + comeBack(name));
    }
  }

  static void cancel(Requests requests, String id) {
    try {
      requests.cancel(id, null);
    } catch (CliException e) {
      throw e.with("; " + comeBack(id));
    }
  }

  private static OthersOutput others(Session session) {
    return new OthersOutput(session.requests(), session.terminal()::note);
  }

  private static String comeBack(String id) {
    return "%s runs on: stoker logs -f %s shows it, stoker wait %s awaits its end"
        .formatted(id, id, id);
  }

  private Submission request(Session session, String name) {
    Optional<String> folder =
        session.connection().isLocal() ? Optional.of(here()) : Optional.empty();
    try {
      return Submission.of(
          RequestParser.parse(
              options.request(name, command, folder, input(), System.getenv()), Optional.empty()));
    } catch (RequestRefused e) {
      throw CliException.usage(e.getMessage());
    }
  }

  private Optional<byte[]> input() {
    try {
      // One more than can be sent tells that there is more.
      return stdin
          ? Optional.of(System.in.readNBytes(RunOptions.MOST_INPUT + 1))
          : Optional.empty();
    } catch (IOException e) {
      throw CliException.usage("standard input cannot be read: " + e.getMessage());
    }
  }

  private static String here() {
    return Path.of("").toAbsolutePath().toString();
  }

  /** The job's own, but never 0 of one that did not succeed: it may end well when it is told to. */
  static int exitCode(Terminal terminal, RequestStatus end, boolean interrupted) {
    boolean succeeded = end.state() == RequestState.SUCCEEDED;
    boolean own = end.exitCode() != null && (succeeded || end.exitCode() != 0);
    if (!own || end.exitCode() >= 128 || !succeeded && end.code() != Code.APP_FAILURE) {
      terminal.note(Ends.describe(end));
    }
    if (end.state() == RequestState.CANCELLED && interrupted) {
      return Interrupts.EXIT_CODE;
    }
    return own ? end.exitCode() : ExitCode.NO_EXIT_CODE;
  }
}
