package io.stoker.e2e.cli;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The {@code stoker} command as people have it: the launcher, in a process of its own. */
final class Stoker {
  private static final long PATIENCE_SECONDS = 300;

  /** Of util-linux. */
  private static final String SCRIPT = "/usr/bin/script";

  private final Path data;
  private final Path folder;
  private final Map<String, String> variables;

  /**
   * @param data of the stack that it reaches
   * @param folder that it is called in
   */
  Stoker(Path data, Path folder) {
    this(data, folder, Map.of());
  }

  /**
   * @param variables of its environment beside
   */
  Stoker(Path data, Path folder, Map<String, String> variables) {
    this.data = data;
    this.folder = folder;
    this.variables = variables;
  }

  /** How a command ended and what it wrote. */
  record Ended(int exitCode, String out, String err) {}

  /** A command under way. */
  record Running(Process process, Path out, Path err) {
    String outSoFar() throws IOException {
      return Files.isRegularFile(out) ? Files.readString(out) : "";
    }

    Ended await() throws IOException, InterruptedException {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            "did not end within %d s: %s".formatted(PATIENCE_SECONDS, Files.readString(err)));
      }
      return new Ended(process.exitValue(), outSoFar(), Files.readString(err));
    }
  }

  Ended run(String... arguments) throws IOException, InterruptedException {
    return start("", arguments).await();
  }

  Ended runWithInput(String input, String... arguments) throws IOException, InterruptedException {
    return start(input, arguments).await();
  }

  /** With its output to a file that is there, such as a device. */
  Ended runInto(Path out, String... arguments) throws IOException, InterruptedException {
    return start("", Optional.of(out), arguments).await();
  }

  Running start(String input, String... arguments) throws IOException {
    return start(input, Optional.empty(), arguments);
  }

  private Running start(String input, Optional<Path> into, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Checkout.root().resolve("stoker").toString());
    command.addAll(List.of(arguments));
    Path in = Files.createTempFile(folder, "in", ".txt");
    Files.writeString(in, input, StandardCharsets.UTF_8);
    Path out = into.orElse(Files.createTempFile(folder, "out", ".txt"));
    Path err = Files.createTempFile(folder, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    return new Running(started(builder), out, err);
  }

  /** A command at a terminal of its own, and who sits there. */
  record AtTerminal(Process process, Path shown) {
    /** All that was drawn so far, with what moves the cursor. */
    String shownSoFar() throws IOException {
      return Files.readString(shown);
    }

    void press(String keys) throws IOException {
      process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    }

    int await() throws InterruptedException {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("did not end within %d s".formatted(PATIENCE_SECONDS));
      }
      return process.exitValue();
    }
  }

  /** Whether this machine has what gives a command a terminal. */
  static boolean hasTerminals() {
    return Files.isExecutable(Path.of(SCRIPT));
  }

  /**
   * Starts a command at a terminal.
   *
   * @param columns of that terminal
   */
  AtTerminal atTerminal(int columns, String... arguments) throws IOException {
    String command =
        "stty rows 40 columns %d; exec '%s' %s"
            .formatted(columns, Checkout.root().resolve("stoker"), String.join(" ", arguments));
    Path shown = Files.createTempFile(folder, "shown", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(SCRIPT, "-qfec", command, "/dev/null")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(shown.toFile());
    builder.environment().put("TERM", "xterm");
    builder.environment().remove("COLUMNS");
    return new AtTerminal(started(builder), shown);
  }

  private Process started(ProcessBuilder builder) throws IOException {
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("STOKER_") && !name.equals("STOKER_SERVICE_JAVA_OPTS"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("STOKER_DATA", data.toString());
    // What is left among temporary files is then this test's, and nobody else's.
    builder.environment().put("STOKER_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
    builder.environment().putAll(variables);
    return builder.start();
  }
}
