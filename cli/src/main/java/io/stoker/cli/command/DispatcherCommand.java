package io.stoker.cli.command;

import io.stoker.cli.local.Home;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code stoker dispatcher}. */
@Command(
    name = "dispatcher",
    description = {
      "Runs one dispatcher in the foreground.",
      "It needs a Kafka, a Postgres and a Redis; the topics and the schema must be there: stoker topics",
      "create, stoker migrate."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker dispatcher --config dispatcher.properties",
      "  STOKER_KAFKA_BOOTSTRAP_SERVERS=kafka:9092 STOKER_HTTP_PORT=8080 stoker dispatcher"
    })
public final class DispatcherCommand implements Callable<Integer> {
  private static final List<String> FLAGS = List.of("-Xmx320m");

  @Mixin private ConfigOption config;

  @Override
  public Integer call() throws IOException, InterruptedException {
    // First what the user said: a build that is missing is not the fault to tell about then.
    Optional<Path> file = config.file();
    return ServiceProcess.run(Home.locate().dispatcherJar(), FLAGS, file, List.of(), Map.of());
  }
}
