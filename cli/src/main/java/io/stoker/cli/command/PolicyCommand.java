package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker policy}. */
@Command(
    name = "policy",
    description = {
      "Lets a host choose its devices by another policy.",
      "first-fit, packed, spread, round-robin, random, auto, or one of your own. It stays until it is",
      "changed; what runs keeps its devices. Fails if the host knows no such policy or parameter; one",
      "that is away is told when it is back."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker policy gpu-box-7 auto -p put-interval=2s -p dynamic-condition=max",
      "  stoker policy gpu-box-7 --configured     back to the host's own configuration",
      "  stoker hosts                             shows which policy each host uses"
    })
public final class PolicyCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(
      index = "0",
      paramLabel = "HOST",
      description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The policy.")
  private String policy;

  @Option(
      names = {"-p", "--parameter"},
      paramLabel = "KEY=VALUE",
      description = "A parameter of the policy; may be given several times.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  @Option(names = "--configured", description = "Use what the host's configuration says.")
  private boolean configured;

  @Override
  public Integer call() throws InterruptedException {
    if (configured == (policy != null)) {
      throw CliException.usage("give either the NAME of a policy or --configured");
    }
    if (configured && !parameters.isEmpty()) {
      throw CliException.usage("--parameter goes with the NAME of a policy");
    }
    try (Session session = new Session(data)) {
      HostOrder.await(session, host, session.fleet().policy(host, policy, parameters));
      answer.print(session, "host", host);
      return ExitCode.DONE;
    }
  }
}
