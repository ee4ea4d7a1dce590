package io.stoker.cli.command;

import io.stoker.cli.stack.child.Guard;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.StackEnvironment;
import io.stoker.cli.stack.service.ServiceProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One of the services in the foreground: it writes to this terminal and ends with this command. */
final class ServiceProcess {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private ServiceProcess() {}

  /**
   * Runs it until it ends or this command is told to.
   *
   * @param config a file of configuration, besides the environment
   * @param environment of a local stack; empty for that of this process
   * @return its exit code
   */
  static int run(
      Path jar,
      List<String> flags,
      Optional<Path> config,
      List<String> arguments,
      Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(flags);
    all.addAll(flags(config));
    return run(JavaCommand.jar(all, jar, arguments), environment);
  }

  /**
   * What makes a service read a file of configuration, as its application.properties say. Named to
   * Quarkus itself by a property, it would be as strong as that, and win over the environment.
   */
  static List<String> flags(Optional<Path> config) {
    return config.map(file -> "-Dconfig.file=" + ServiceProgram.location(file)).stream().toList();
  }

  /** Runs a command until it ends or this one is told to. Returns its exit code. */
  static int run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(Guard.around(command, "TERM", GRACE))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    if (!environment.isEmpty()) {
      StackEnvironment.give(builder.environment(), environment);
    }
    Process service = builder.start();
    Thread stop = new Thread(() -> end(service), "end-service");
    Runtime.getRuntime().addShutdownHook(stop);
    int exit = service.waitFor();
    try {
      Runtime.getRuntime().removeShutdownHook(stop);
    } catch (IllegalStateException endingAlready) {
      // The signal came as the service ended by itself.
    }
    return exit;
  }

  private static void end(Process service) {
    service.destroy();
    try {
      if (!service.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS)) {
        service.destroyForcibly();
      }
    } catch (InterruptedException e) {
      service.destroyForcibly();
    }
  }
}
