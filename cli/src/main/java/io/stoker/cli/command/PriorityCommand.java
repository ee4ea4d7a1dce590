package io.stoker.cli.command;

import io.stoker.cli.CliException;
import io.stoker.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker priority}. */
@Command(
    name = "priority",
    description = {
      "Gives a request that has not ended another priority.",
      "From -1000 to 1000, higher first. A job that requests share has the highest of theirs."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker priority train-042 100", "  stoker priority train-042 -- -5"})
public final class PriorityCommand implements Callable<Integer> {
  private static final int MOST = 1000;

  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(index = "0", paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Parameters(index = "1", paramLabel = "N", description = "The priority.")
  private int priority;

  @Override
  public Integer call() {
    if (Math.abs((long) priority) > MOST) {
      throw CliException.usage("N is %d, expected -1000 to 1000".formatted(priority));
    }
    try (Session session = new Session(spec, data)) {
      if (!session.requests().prioritise(id, priority)) {
        throw CliException.unknownId("nobody knows a request " + id);
      }
      session.terminal().out().println(id);
      return ExitCode.DONE;
    }
  }
}
