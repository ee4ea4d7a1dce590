package io.stoker.agent.runner;

import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.Pipes;
import io.stoker.agent.spawn.RunTag;
import io.stoker.agent.spawn.Rusage;
import io.stoker.agent.spawn.SpawnerMain;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * The agent's end of the spawner process, which starts jobs and is their parent, and of its keeper;
 * see {@link io.stoker.agent.spawn}.
 *
 * <p>If it dies it is started again, and what it had not answered is asked again: a run's state
 * file is created once, so a launch asked for twice happens once. Its jobs outlive it.
 */
final class Launcher implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Launcher.class);

  /** It holds nothing but the names of what runs, and its code is soon compiled. */
  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:-UsePerfData",
          "-Xms4m",
          "-Xmx16m",
          "-Xss512k",
          "--enable-native-access=ALL-UNNAMED");

  /** Before another is started: one that cannot start must not be tried as fast as may be. */
  private static final int PAUSE_MS = 100;

  /** What the spawner says; called from the thread that reads it. */
  interface Replies {
    void started(String run, long pid, long startTicks);

    /**
     * @param clean whether it is certain that no process of the run is left
     * @param usage what it took, if it began
     */
    void exited(String run, int exitCode, boolean clean, Optional<Rusage> usage);

    void refused(String run, String why);

    /** Another spawner has it: its state file tells the rest. */
    void takenBefore(String run);

    /** The spawner is gone: it will say nothing of what it has started. */
    void died();
  }

  private final Path data;
  private final String owner;
  private final Map<String, String> environment;
  private final Replies replies;
  private final Map<String, Order> unanswered = new LinkedHashMap<>();
  private Process process;
  private DataOutputStream orders;
  private boolean closed;

  /**
   * @param owner what tells this agent's runs from another's
   * @param environment what the process gets of the agent's
   */
  Launcher(Path data, String owner, Map<String, String> environment, Replies replies)
      throws IOException {
    this.data = data;
    this.owner = owner;
    this.environment = environment;
    this.replies = replies;
    if (!RunTag.available()) {
      LOG.warn(
          "the limit of file locks cannot be set: of what jobs leave behind, who has left their"
              + " session and emptied its environment is not found");
    }
    start();
  }

  private void start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put(SpawnerMain.VARIABLE, owner);
    builder.directory(new File("/"));
    builder.redirectError(data.resolve("launcher.err").toFile());
    Path pipe = data.resolve(KeeperMain.PIPE);
    if (!Files.exists(pipe)) {
      Pipes.make(pipe);
    }
    Path keepers = Files.createDirectories(data.resolve(KeeperMain.FOLDER));
    process = builder.start();
    OwnProcess.of(process.pid()).write(keepers.resolve(Long.toString(process.pid())));
    orders = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    Process mine = process;
    Thread.ofPlatform().daemon().name("launcher-replies").start(() -> follow(mine));
  }

  private List<String> command() {
    List<String> command = own(KeeperMain.ARGUMENT, KeeperMain.class);
    command.addAll(own(SpawnerMain.ARGUMENT, SpawnerMain.class));
    command.add(owner);
    return command;
  }

  private List<String> own(String argument, Class<?> main) {
    List<String> command = new ArrayList<>();
    // A session of its own: a signal to the agent's does not end what must outlive it.
    command.add("setsid");
    if (System.getProperty("org.graalvm.nativeimage.imagecode") != null) {
      String self = ProcessHandle.current().info().command().orElseThrow();
      command.addAll(List.of(self, argument));
    } else {
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(FLAGS);
      command.addAll(List.of("-cp", SpawnerMain.classPath(), main.getName()));
    }
    command.add(data.toString());
    return command;
  }

  /** Pid of the keeper of the spawner that is asked at the moment. */
  synchronized long keeper() {
    return process.pid();
  }

  private void follow(Process from) {
    read(from);
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    LOG.warn("the spawner has died: starting another");
    replies.died();
    CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS).execute(this::again);
  }

  private synchronized void again() {
    if (closed) {
      return;
    }
    try {
      start();
      for (Order order : unanswered.values()) {
        write(order);
      }
    } catch (IOException e) {
      LOG.error("the spawner cannot be started again, so no job can", e);
    }
  }

  /** Asks for a run to be started. */
  synchronized void launch(Order order) {
    unanswered.put(order.run(), order);
    try {
      write(order);
    } catch (IOException e) {
      LOG.debug("the spawner has just died; the next is asked again", e);
    }
  }

  private void write(Order order) throws IOException {
    order.write(orders);
    orders.flush();
  }

  private void read(Process from) {
    try (BufferedReader lines = from.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reply(line.split(" ", 4));
      }
    } catch (IOException e) {
      LOG.debug("the spawner's replies cannot be read", e);
    }
  }

  private void reply(String[] words) {
    String run = words.length > 1 ? words[1] : "";
    synchronized (this) {
      unanswered.remove(run);
    }
    switch (words[0]) {
      case "s" -> replies.started(run, Long.parseLong(words[2]), Long.parseLong(words[3]));
      case "x" -> {
        String[] rest = words[3].split(" ", 2);
        Optional<Rusage> usage = rest.length > 1 ? Rusage.read(rest[1]) : Optional.empty();
        replies.exited(run, Integer.parseInt(words[2]), rest[0].equals("1"), usage);
      }
      case "r" -> replies.refused(run, words[2] + (words.length > 3 ? " " + words[3] : ""));
      case "c" -> replies.takenBefore(run);
      default -> LOG.warn("the spawner said: " + String.join(" ", words));
    }
  }

  /** Asks for nothing any more. The spawner goes when its last job has ended. */
  @Override
  public synchronized void close() {
    closed = true;
    try {
      orders.close();
    } catch (IOException e) {
      LOG.debug("the spawner is gone already", e);
    }
  }
}
