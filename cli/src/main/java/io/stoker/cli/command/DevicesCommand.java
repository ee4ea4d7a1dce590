package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker devices}. */
@Command(
    name = "devices",
    description = {
      "Lets a host offer other GPUs, or in another order.",
      "It stays until it is changed; what runs keeps its devices. Fails if the host has no such GPU;",
      "one that is away is told when it is back."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker devices gpu-box-7 1,0             the second GPU first",
      "  stoker devices gpu-box-7 ''              none, and its driver is released",
      "  stoker devices gpu-box-7 --configured    back to the host's own configuration"
    })
public final class DevicesCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(
      index = "0",
      paramLabel = "HOST",
      description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "LIST",
      description = "Indices or UUIDs, separated by commas.")
  private String devices;

  @Option(names = "--configured", description = "Use what the host's configuration says.")
  private boolean configured;

  @Override
  public Integer call() throws InterruptedException {
    if (configured == (devices != null)) {
      throw CliException.usage("give either a LIST of devices or --configured");
    }
    try (Session session = new Session(data)) {
      HostOrder.await(session, host, session.fleet().devices(host, devices));
      answer.print(session, "host", host);
      return ExitCode.DONE;
    }
  }
}
