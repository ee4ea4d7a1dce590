package io.stoker.cli.command;

import io.stoker.cli.CliException;
import io.stoker.cli.ExitCode;
import io.stoker.cli.input.Submission;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.run.JobFollower;
import io.stoker.cli.run.JobOutput;
import io.stoker.cli.run.RunOptions;
import io.stoker.cli.status.WhyWaiting;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.state.RequestState;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker run}. */
@Command(
    name = "run",
    description = {
      "Runs a command as a job, follows its output, and ends with its exit code.",
      "It always runs, whatever ran before. On a local stack it runs in this folder. Ctrl-C cancels",
      "it; a second one leaves at once."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "2:bad usage",
      "3:the stack cannot be reached",
      "125:the job ended without an exit code",
      "130:cancelled by Ctrl-C",
      "N:else the job's own"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker run -- nvidia-smi",
      "  stoker run --gpus 1 --gpu-memory 6GiB --timeout 2h -- python3 train.py --lr 0.1",
      "  stoker run --hosts 2 --gpus 8 -- torchrun-node.sh train.py",
      "  stoker run -- sh -c 'echo hi; exit 7'"
    })
public final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--gpus", paramLabel = "N", description = "GPUs. Default: none.")
  private Integer gpus;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description = "Memory needed on each GPU, such as 6GiB; asks for one GPU.")
  private String gpuMemory;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      description = "Run on so many hosts at once, each with all the rest. Default: one.")
  private Integer hosts;

  @Option(names = "--queue", paramLabel = "Q", description = "The queue to wait in.")
  private String queue;

  @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000, higher first.")
  private Integer priority;

  @Option(names = "--timeout", paramLabel = "D", description = "Longest run, such as 90s or 2h.")
  private String timeout;

  @Option(names = "--group", paramLabel = "G", description = "The group it belongs to.")
  private String group;

  @Option(
      names = "--preemptible",
      description = "Whether it may make room for more urgent jobs, and run again later.")
  private boolean preemptible;

  @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "Program and arguments.")
  private List<String> command;

  private volatile boolean interrupted;

  @Override
  public Integer call() {
    try (Session session = new Session(spec, data)) {
      String id = "run-" + UUID.randomUUID();
      Submission request = request(session, id);
      Requests requests = session.requests();
      JobOutput output = new JobOutput(System.out, System.err);
      try (JobFollower follower =
          JobFollower.open(session.connection().bootstrap(), session.topics(), id, output)) {
        Interrupts.onFirst(
            () -> {
              interrupted = true;
              session.terminal().note("cancelling %s; Ctrl-C again leaves at once".formatted(id));
              follower.cancel();
            });
        requests.post(List.of(request));
        WhyWaiting why = new WhyWaiting(requests::explain, session.terminal()::note);
        return exitCode(session, follower.awaitEnd(() -> requests.cancel(id, null), why));
      }
    }
  }

  private Submission request(Session session, String id) {
    RunOptions options =
        new RunOptions(
            command,
            session.connection().isLocal() ? Optional.of(here()) : Optional.empty(),
            Optional.ofNullable(gpus),
            Optional.ofNullable(gpuMemory),
            Optional.ofNullable(hosts),
            Optional.ofNullable(queue),
            Optional.ofNullable(priority),
            Optional.ofNullable(timeout),
            Optional.ofNullable(group),
            preemptible);
    try {
      return Submission.of(RequestParser.parse(options.request(id), Optional.empty()));
    } catch (RequestRefused e) {
      throw CliException.usage(e.getMessage());
    }
  }

  private static String here() {
    return Path.of("").toAbsolutePath().toString();
  }

  private int exitCode(Session session, RequestStatus end) {
    boolean explained =
        end.state() == RequestState.SUCCEEDED || end.exitCode() != null && end.exitCode() < 128;
    if (!explained) {
      session.terminal().note(Ends.describe(end));
    }
    if (end.state() == RequestState.CANCELLED && interrupted) {
      return Interrupts.EXIT_CODE;
    }
    return end.exitCode() == null ? ExitCode.NO_EXIT_CODE : end.exitCode();
  }
}
