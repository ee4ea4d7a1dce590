package io.stoker.e2e.stack;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The {@code stoker} command as its users start it, in a stack's folder. */
public final class CommandLine {
  /** A shell that starts a build in the background may have it ignore Ctrl-C, and all after it. */
  private static final List<String> MINDING_CTRL_C = List.of("env", "--default-signal=INT");

  private final Path folder;
  private final StokerStack stack;

  /**
   * @param folder its working folder, where its output is written too
   */
  public CommandLine(Path folder, StokerStack stack) {
    this.folder = folder;
    this.stack = stack;
  }

  /** Where what it prints goes. */
  public Path out() {
    return folder.resolve("stdout");
  }

  public Path err() {
    return folder.resolve("stderr");
  }

  /** Starts it; the process is the command itself, so that signals reach it. */
  public Process start(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (exitCode(MINDING_CTRL_C) == 0) {
      command.addAll(MINDING_CTRL_C);
    }
    command.add(Checkout.root().resolve("stoker").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(out().toFile())
            .redirectError(err().toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("STOKER_") && !name.equals("STOKER_SERVICE_JAVA_OPTS"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("STOKER_DATA", stack.data().toString());
    return builder.start();
  }

  /** Runs it to its end, which must be a good one; what it printed. */
  public String output(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    try {
      if (!process.waitFor(StatusLog.PATIENCE.toSeconds(), TimeUnit.SECONDS)
          || process.exitValue() != 0) {
        throw new AssertionError(
            "stoker %s: %s".formatted(String.join(" ", arguments), Files.readString(err())));
      }
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(out());
  }

  /** Runs it to its end; the exit code. */
  public int exitCode(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    try {
      if (!process.waitFor(StatusLog.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("stoker %s does not end".formatted(List.of(arguments)));
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  private static int exitCode(List<String> prefix) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add("true");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }
}
