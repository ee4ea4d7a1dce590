package io.stoker.agent.container;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * An OCI engine, by its command line: {@code docker}, {@code podman}, {@code nerdctl} and the like.
 */
final class Engine {
  private static final Pattern UNKNOWN = Pattern.compile("(?i)no such (?:object|container)");
  private static final Pattern AWAY =
      Pattern.compile("(?i)cannot connect to|is the docker daemon running|connection refused");
  private static final long ANSWER_S = 60;

  private final String cli;

  Engine(String cli) {
    this.cli = cli;
  }

  /** What a command came to. */
  record Answer(int exitCode, String out, String err) {
    boolean ok() {
      return exitCode == 0;
    }

    /** Whether the engine knows no such container. */
    boolean unknown() {
      return !ok() && UNKNOWN.matcher(err).find();
    }

    /** Whether the engine itself cannot be reached. */
    boolean away() {
      return !ok() && AWAY.matcher(err).find();
    }

    /** The last thing that it said of what is wrong. */
    String why() {
      return err.lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("See '") && !line.startsWith("Run '"))
          .reduce((before, after) -> after)
          .orElse("exit code " + exitCode);
    }
  }

  /** The command's name, for people. */
  String name() {
    return cli;
  }

  /**
   * Asks for something that takes as long as it takes.
   *
   * @throws IOException if there is no such command on this host
   */
  Answer ask(List<String> arguments) throws IOException, InterruptedException {
    return answer(process(arguments));
  }

  /** Begins to ask for something that somebody may want to give up, such as fetching an image. */
  Process begin(List<String> arguments) throws IOException {
    return process(arguments);
  }

  /** Asks for something that is answered soon; what is not is given up. */
  Answer askSoon(String... arguments) throws IOException, InterruptedException {
    Process process = process(List.of(arguments));
    CompletableFuture.delayedExecutor(ANSWER_S, TimeUnit.SECONDS).execute(process::destroyForcibly);
    return answer(process);
  }

  /** What it came to, once it has ended. */
  static Answer answer(Process process) throws IOException, InterruptedException {
    CompletableFuture<String> err =
        CompletableFuture.supplyAsync(() -> read(process), Thread::startVirtualThread);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Answer(process.waitFor(), out, err.join());
  }

  private static String read(Process process) {
    try {
      return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process process(List<String> arguments) throws IOException {
    Process process = new ProcessBuilder(command(arguments)).start();
    process.getOutputStream().close();
    return process;
  }

  /**
   * Writes what a container says into two files, from its beginning.
   *
   * @param follow whether to go on until it has ended
   */
  Process logs(String container, boolean follow, Path stdout, Path stderr) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("logs"));
    if (follow) {
      arguments.add("--follow");
    }
    arguments.add(container);
    return new ProcessBuilder(command(arguments))
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectOutput(stdout.toFile())
        .redirectError(stderr.toFile())
        .start();
  }

  /**
   * How a container is; nothing if the engine knows none of this name.
   *
   * @throws IOException if the engine does not say
   */
  Optional<ContainerState> state(String container) throws IOException, InterruptedException {
    Answer answer = askSoon("inspect", "--format", ContainerState.FORMAT, container);
    if (answer.unknown()) {
      return Optional.empty();
    }
    return Optional.of(
        ContainerState.parse(answer.out())
            .orElseThrow(
                () ->
                    new IOException(
                        "%s does not say how %s is: %s".formatted(cli, container, answer.why()))));
  }

  private List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(cli));
    command.addAll(arguments);
    return command;
  }
}
