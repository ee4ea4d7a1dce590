package io.stoker.agent.container;

import io.stoker.common.life.OutputSoFar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * An OCI engine, by its command line: {@code docker}, {@code podman}, {@code nerdctl} and the like.
 */
record Engine(String cli) {
  private static final Pattern UNKNOWN = Pattern.compile("(?i)no such (?:object|container)");
  private static final long ANSWER_S = 60;

  /** Between two looks at what a command has said: a pipe that is full holds it up. */
  private static final long LOOK_MS = 20;

  /** The same of one that says nothing, such as one that waits for a job's end. */
  private static final long SELDOM_MS = 500;

  /** What a command came to. */
  record Answer(int exitCode, String out, String err) {
    boolean ok() {
      return exitCode == 0;
    }

    /** Whether the engine knows no such container. */
    boolean unknown() {
      return !ok() && UNKNOWN.matcher(err).find();
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

  /**
   * Begins to ask for something that somebody may want to give up, such as fetching an image.
   *
   * @param environment of the command, besides this process's
   */
  Process begin(List<String> arguments, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = builder(arguments);
    builder.environment().putAll(environment);
    return started(builder);
  }

  /** Asks for something that is answered soon; what is not is given up. */
  Answer askSoon(String... arguments) throws IOException, InterruptedException {
    return soon(builder(List.of(arguments)));
  }

  /**
   * Removes a container, and what runs in it.
   *
   * @return why it may be there still; empty if it is not
   */
  Optional<String> remove(String container) throws IOException, InterruptedException {
    Answer answer = askSoon("rm", "--force", container);
    return answer.ok() || answer.unknown() ? Optional.empty() : Optional.of(answer.why());
  }

  /**
   * Starts a container.
   *
   * @param folder in which its monitor may leave files: podman's leaves one named {@code oom} where
   *     it is started
   */
  Answer start(String container, Path folder) throws IOException, InterruptedException {
    return soon(builder(List.of("start", container)).directory(folder.toFile()));
  }

  private static Answer soon(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = started(builder);
    CompletableFuture.delayedExecutor(ANSWER_S, TimeUnit.SECONDS).execute(process::destroyForcibly);
    return answer(process);
  }

  /** What it came to, once it has ended. */
  static Answer answer(Process process) throws InterruptedException {
    OutputSoFar out = new OutputSoFar(process.getInputStream(), Integer.MAX_VALUE);
    OutputSoFar err = new OutputSoFar(process.getErrorStream(), Integer.MAX_VALUE);
    long lookMs = LOOK_MS;
    boolean over;
    do {
      over = process.waitFor(lookMs, TimeUnit.MILLISECONDS);
      boolean more = hasMore(out) | hasMore(err);
      lookMs = more ? LOOK_MS : Math.min(2 * lookMs, SELDOM_MS);
    } while (!over);
    return new Answer(process.exitValue(), out.text(), err.text());
  }

  private static boolean hasMore(OutputSoFar said) {
    try {
      return said.take();
    } catch (IOException e) {
      return false; // who has ended the command has closed it
    }
  }

  private Process process(List<String> arguments) throws IOException {
    return started(builder(arguments));
  }

  private static Process started(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  /**
   * Tells what a container says, from its beginning, on the two streams that it says it on.
   *
   * @param follow whether to go on until it has ended
   */
  Process logs(String container, boolean follow) throws IOException {
    return process(follow ? List.of("logs", "--follow", container) : List.of("logs", container));
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

  /**
   * Whether it does not answer at all. What it says of a failure does not tell: a registry refuses
   * connections in the same words.
   */
  boolean away() throws IOException, InterruptedException {
    return !askSoon("ps", "--quiet").ok();
  }

  private ProcessBuilder builder(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(cli));
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }
}
