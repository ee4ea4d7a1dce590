package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Guard;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.LogTail;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** An {@code up} in the background, with a session of its own so that no terminal's end ends it. */
final class DetachedUp {
  private static final long POLL_MILLIS = 50;

  private DetachedUp() {}

  /**
   * Starts it and waits until it is ready. A Ctrl-C before that ends it.
   *
   * @param program the class of the command line
   * @return whether it is ready; else it has ended because of a Ctrl-C
   * @throws CliException if it ends instead, with what it said last
   */
  static boolean start(
      Class<?> program,
      DataFolder data,
      StackOptions options,
      Optional<Path> config,
      PrintWriter err)
      throws IOException, InterruptedException {
    data.create();
    Path log = data.log("up");
    err.println("stoker: starting on %s, log in %s ...".formatted(data, log));
    AtomicBoolean givenUp = new AtomicBoolean();
    AtomicReference<Process> begun = new AtomicReference<>();
    Interrupts.onFirst(
        () -> {
          givenUp.set(true);
          err.println("stoker: stopping what was started; Ctrl-C again leaves at once");
          Optional.ofNullable(begun.get()).ifPresent(Process::destroy);
        });
    Process up =
        new ProcessBuilder(command(program, data, options, config))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log.toFile())) // one that runs may write there
            .start();
    begun.set(up);
    if (givenUp.get()) {
      up.destroy();
    }
    while (givenUp.get() || !isReady(data, up.pid())) {
      if (up.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        if (givenUp.get()) {
          return false;
        }
        throw ended(up.exitValue(), log);
      }
    }
    return true;
  }

  private static boolean isReady(DataFolder data, long pid) throws IOException {
    Optional<RunningStack> running = RunningStack.find(data);
    return running.filter(stack -> stack.up().pid() == pid && stack.ready()).isPresent();
  }

  private static CliException ended(int exitCode, Path log) {
    String message = "up ended with exit code %d%s".formatted(exitCode, LogTail.of(log));
    return exitCode == 2 ? CliException.usage(message) : CliException.failed(message);
  }

  private static List<String> command(
      Class<?> program, DataFolder data, StackOptions options, Optional<Path> config) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "up",
                "--data",
                data.toString(),
                "--hosts",
                Integer.toString(options.size().hosts()),
                "--gpus",
                Integer.toString(options.size().gpus()),
                "--dispatchers",
                Integer.toString(options.size().dispatchers())));
    if (options.secure()) {
      arguments.add("--secure");
    }
    config.ifPresent(file -> arguments.addAll(List.of("--config", file.toString())));
    List<String> command = new ArrayList<>();
    // setsid becomes java without a fork, as no new process leads a group: the pid stays the same.
    Guard.onPath("setsid").ifPresentOrElse(command::add, () -> command.add("nohup"));
    command.addAll(JavaCommand.ofOwnClassPath(flags(), program, arguments));
    return command;
  }

  private static List<String> flags() {
    // As the launcher has them: this process only waits for its children.
    List<String> flags = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m"));
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("stoker.") && !name.equals(Terminal.OUTPUT_PROPERTY))
        .map(name -> "-D%s=%s".formatted(name, System.getProperty(name)))
        .forEach(flags::add);
    return flags;
  }
}
