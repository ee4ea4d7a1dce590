package io.stoker.e2e.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An example program run as a child process: a command, its environment beside the test's, and a
 * folder for its output.
 */
final class Program {
  /** How it ended and what it wrote. */
  record Ended(int exitCode, String out, String err) {
    /** The rest of each line of stdout that starts with this marker. */
    List<String> lines(String marker) {
      return out.lines()
          .filter(line -> line.startsWith(marker + " "))
          .map(line -> line.substring(marker.length() + 1))
          .toList();
    }
  }

  private final Path folder;
  private final List<String> command;
  private Path input = Path.of("/dev/null");
  private final Map<String, String> environment = new HashMap<>();

  private Program(Path folder, List<String> command) {
    this.folder = folder;
    this.command = command;
  }

  static Program of(Path folder, String... command) {
    return new Program(folder, List.of(command));
  }

  /** A single-file Java program, by the JDK that runs the tests. */
  static Program java(Path folder, Path source, String... arguments) {
    List<String> command =
        new ArrayList<>(List.of(javaCommand(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add(source.toString());
    command.addAll(List.of(arguments));
    return new Program(folder, command);
  }

  static String javaCommand() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Whether a command of this name is on the path and runs. */
  static boolean exists(String name, String argument) {
    try {
      Process process =
          new ProcessBuilder(name, argument)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** With a file as its stdin, which is empty otherwise. */
  Program reading(Path file) {
    input = file;
    return this;
  }

  Program with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Program with(String variable, Path file) {
    return with(variable, file.toString());
  }

  Ended run() throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(input.toFile()))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("STOKER_"));
    // It would put a line of its own on the children's stderr.
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError(command + " did not end in 120 s: " + Files.readString(err));
    }
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}
