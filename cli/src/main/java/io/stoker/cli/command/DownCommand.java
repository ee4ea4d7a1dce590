package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.DataLock;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.child.Leftovers;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker down}. */
@Command(
    name = "down",
    description = {
      "Stops the local stack and waits until all of it has ended; its data is kept.",
      "Nothing to stop is no error."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker down", "  stoker down --data /tmp/a", "  stoker down --json | jq .stopped"})
public final class DownCommand implements Callable<Integer> {
  private static final long PATIENCE_SECONDS = 120;
  private static final Duration GRACE = Duration.ofSeconds(25);

  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--json", description = "Print {\"data\", \"stopped\", \"pid\"} as one line.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    DataFolder folder = data.folder();
    Optional<RunningStack> written =
        RunningStack.lastWritten(folder, text -> err.println("stoker: " + text));
    Optional<ProcessHandle> up = written.flatMap(stack -> stack.up().find());
    if (up.isPresent()) {
      err.println(
          "stoker: stopping the stack on %s (pid %d) ...".formatted(folder, up.get().pid()));
      stop(up.get());
      err.println("stoker: stopped");
    } else if (DataLock.isHeld(folder)) {
      throw CliException.failed(
          "a stack runs on %s, but %s does not name it: one that starts is named in a moment, any other is the process that fuser %s shows"
              .formatted(folder, folder.runningFile(), folder.lockFile()));
    } else {
      err.println("stoker: no stack runs on " + folder);
    }
    // What a killed up left is ended by its guards; down returns when that is done too.
    written.ifPresent(stack -> Leftovers.clear(stack, GRACE));
    if (json) {
      spec.commandLine().getOut().println(Json.text(done(folder, up)));
    }
    return ExitCode.DONE;
  }

  private static Map<String, Object> done(DataFolder folder, Optional<ProcessHandle> up) {
    Map<String, Object> done = new LinkedHashMap<>();
    done.put("data", folder.toString());
    done.put("stopped", up.isPresent());
    up.ifPresent(stopped -> done.put("pid", stopped.pid()));
    return done;
  }

  private static void stop(ProcessHandle up) throws InterruptedException {
    up.destroy();
    try {
      up.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      up.destroyForcibly();
      throw CliException.failed(
          "the stack (pid %d) did not stop within %d s and was killed"
              .formatted(up.pid(), PATIENCE_SECONDS));
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for process " + up.pid(), e);
    }
  }
}
