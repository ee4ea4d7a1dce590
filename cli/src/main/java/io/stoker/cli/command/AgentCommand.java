package io.stoker.cli.command;

import io.stoker.cli.local.Home;
import io.stoker.cli.stack.service.ServiceProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code stoker agent}. */
@Command(
    name = "agent",
    description = {
      "Runs this machine's agent in the foreground.",
      "It needs a Kafka, and waits for it if it is away."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker agent --config agent.properties",
      "  STOKER_KAFKA_BOOTSTRAP_SERVERS=kafka:9092 STOKER_AGENT_HOST=gpu-box-7 stoker agent"
    })
public final class AgentCommand implements Callable<Integer> {
  @Mixin private ConfigOption config;

  @Override
  public Integer call() throws IOException, InterruptedException {
    // First what the user said: a build that is missing is not the fault to tell about then.
    Optional<Path> file = config.file();
    ServiceProgram agent = ServiceProgram.agent(Home.locate());
    List<String> command = agent.command(ServiceProcess.flags(file));
    agent.onClassPath().makeCacheInBackground();
    return ServiceProcess.run(command, Map.of());
  }
}
