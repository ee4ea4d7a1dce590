package io.stoker.agent.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The long-lived shell that forks a wrapper a run; see {@code launcher.sh}.
 *
 * <p>If it dies it is started again, and what it had not answered is asked again: a run's state
 * file is created once, so a launch asked for twice happens once. Wrappers outlive it.
 */
final class Launcher implements AutoCloseable {

  /** What wrappers say; called from the launcher's reading thread. */
  interface Replies {
    void started(String run, long pid, long startTicks);

    void exited(String run, int exitCode);

    void refused(String run, String why);

    /** Another wrapper has it: its state file tells the rest. */
    void takenBefore(String run);
  }

  private final Path data;
  private final Path script;
  private final Map<String, String> environment;
  private final Replies replies;
  private final Set<String> unanswered = new LinkedHashSet<>();
  private Process shell;
  private boolean closed;

  /**
   * @param environment everything that jobs see of the agent's
   */
  Launcher(Path data, Path script, Map<String, String> environment, Replies replies)
      throws IOException {
    this.data = data;
    this.script = script;
    this.environment = environment;
    this.replies = replies;
    start();
  }

  private void start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of("setsid", "sh", script.toString(), data.toString()));
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(data.toFile());
    builder.redirectError(data.resolve("launcher.err").toFile());
    shell = builder.start();
    OwnProcess.of(shell.pid()).write(data.resolve("launcher"));
    Process mine = shell;
    Thread.ofPlatform().daemon().name("launcher-replies").start(() -> read(mine));
    shell.onExit().thenAccept(this::died);
  }

  private synchronized void died(Process which) {
    if (closed || which != shell) {
      return;
    }
    try {
      start();
      for (String run : unanswered) {
        write(run);
      }
    } catch (IOException e) {
      throw new IllegalStateException("the launcher died and cannot be started again", e);
    }
  }

  /** Asks for a run to be started. */
  synchronized void launch(String run) throws IOException {
    unanswered.add(run);
    if (shell.isAlive()) {
      write(run);
    }
  }

  private void write(String run) throws IOException {
    OutputStream in = shell.getOutputStream();
    in.write((run + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  private void read(Process from) {
    try (BufferedReader lines = from.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reply(line.split(" ", 4));
      }
    } catch (IOException e) {
      // The pipe closes with the agent or with the last wrapper.
    }
  }

  private void reply(String[] words) {
    String run = words[1];
    synchronized (this) {
      unanswered.remove(run);
    }
    switch (words[0]) {
      case "s" -> replies.started(run, Long.parseLong(words[2]), Long.parseLong(words[3]));
      case "x" -> replies.exited(run, Integer.parseInt(words[2]));
      case "r" -> replies.refused(run, words[2] + (words.length > 3 ? " " + words[3] : ""));
      case "c" -> replies.takenBefore(run);
      default -> throw new IllegalStateException("launcher said: " + String.join(" ", words));
    }
  }

  long pid() {
    return shell.pid();
  }

  /** Starts nothing any more. Wrappers go on until their jobs have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    shell.destroyForcibly();
  }
}
