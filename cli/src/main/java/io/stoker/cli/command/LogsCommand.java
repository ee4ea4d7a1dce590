package io.stoker.cli.command;

import io.stoker.cli.CliException;
import io.stoker.cli.ExitCode;
import io.stoker.cli.run.JobOutput;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker logs}. */
@Command(
    name = "logs",
    description = {
      "Prints the output of a request's job.",
      "What it wrote to standard error goes to standard error. Each line of a gang begins with the",
      "rank and the host of the member that wrote it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker logs train-042",
      "  stoker logs -f train-042 > train.log",
      "  stoker logs --rank 1 gang-7"
    })
public final class LogsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job has ended.")
  private boolean follow;

  @Option(
      names = "--rank",
      paramLabel = "N",
      description = "Of a gang, that member's output alone, as it was written.")
  private Integer rank;

  @Option(names = "--json", description = "One piece a line, as on the logs topic.")
  private boolean json;

  @Override
  public Integer call() {
    if (rank != null && rank < 0) {
      throw CliException.usage("--rank is " + rank + ", expected a number from 0");
    }
    try (Session session = new Session(spec, data)) {
      JobOutput output =
          rank == null
              ? new JobOutput(System.out, System.err)
              : JobOutput.ofOne(System.out, System.err);
      boolean known =
          session
              .requests()
              .logs(id, follow, Optional.ofNullable(rank), chunk -> show(session, output, chunk));
      output.end();
      if (!known) {
        throw CliException.unknownId("nobody knows a request " + id);
      }
      return ExitCode.DONE;
    }
  }

  private void show(Session session, JobOutput output, LogChunk chunk) {
    if (json) {
      session.terminal().out().println(Json.text(chunk));
      session.terminal().flush();
    } else {
      output.write(chunk);
    }
  }
}
