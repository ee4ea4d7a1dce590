package io.stoker.cli.command;

import io.stoker.cli.input.Reason;
import io.stoker.cli.outcome.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker cordon}. */
@Command(
    name = "cordon",
    description = {"Keeps new placements off a host; what runs there goes on."},
    footerHeading = "%nExamples:%n",
    footer = {"  stoker cordon gpu-box-7 --reason 'fan replacement'"})
public final class CordonCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(paramLabel = "HOST", description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Shown beside the host.")
  private String reason;

  @Override
  public Integer call() {
    Reason.checked(reason);
    try (Session session = new Session(data)) {
      session.fleet().cordon(host, reason);
      answer.print(session, "host", host);
      return ExitCode.DONE;
    }
  }
}
