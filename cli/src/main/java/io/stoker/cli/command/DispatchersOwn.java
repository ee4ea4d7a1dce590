package io.stoker.cli.command;

import io.stoker.cli.local.Home;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Runs one of the dispatcher's own commands, on the database and the Kafka that are meant. */
final class DispatchersOwn {
  @Mixin private DataOption data;
  @Mixin private ConfigOption config;

  /**
   * Runs it to its end.
   *
   * @param heap of its JVM at most, in MiB
   * @param arguments its name first
   * @return its exit code
   */
  int run(int heap, List<String> arguments) throws IOException, InterruptedException {
    Services services = Services.of(data, config);
    return ServiceProcess.run(
        Home.locate().dispatcherJar(),
        List.of("-Xmx%dm".formatted(heap), "-XX:TieredStopAtLevel=1"),
        services.config(),
        arguments,
        services.environment());
  }
}
