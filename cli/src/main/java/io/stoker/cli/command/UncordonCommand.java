package io.stoker.cli.command;

import io.stoker.cli.outcome.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stoker uncordon}. */
@Command(
    name = "uncordon",
    description = {"Lets a host take placements again."},
    footerHeading = "%nExamples:%n",
    footer = {"  stoker uncordon gpu-box-7"})
public final class UncordonCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(paramLabel = "HOST", description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      session.fleet().uncordon(host);
      answer.print(session, "host", host);
      return ExitCode.DONE;
    }
  }
}
