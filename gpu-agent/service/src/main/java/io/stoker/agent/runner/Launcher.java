package io.stoker.agent.runner;

import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.Pipes;
import io.stoker.agent.spawn.RunTag;
import io.stoker.agent.spawn.Rusage;
import io.stoker.agent.spawn.SpawnerMain;
import io.stoker.agent.supervise.Helper;
import io.stoker.common.life.Vital;
import io.stoker.common.security.OwnFiles;
import java.io.BufferedReader;
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
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * The agent's end of the spawner process, which starts jobs and is their parent, and of its keeper;
 * see {@link io.stoker.agent.spawn}.
 *
 * <p>If it dies it is started again, and what it had not answered is asked again: a run's state
 * file is created once, so a launch asked for twice happens once. Its jobs outlive it. While it
 * cannot be started, what is asked for is given back.
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

  /** One that has not said by then that it takes orders never will. */
  private static final int MOST_TO_START_S = 60;

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

    /** There is no spawner, and may be none for long: the run is not started, if none has it. */
    void unavailable(String run, String why);

    /** The spawner is gone: it will say nothing of what it has started. */
    void died();
  }

  private final Path data;
  private final String owner;
  private final Map<String, String> environment;
  private final boolean gains;
  private final Replies replies;
  private final Consumer<Optional<String>> told;
  private final Helper helper;
  private final Map<String, Order> unanswered = new LinkedHashMap<>();
  private Optional<Started> started = Optional.empty();

  private record Started(Process keeper, OrderPipe orders) {}

  /**
   * Starts it, or begins to try.
   *
   * @param owner what tells this agent's runs from another's
   * @param environment what the process gets of the agent's
   * @param gains whether jobs may gain rights that they do not begin with
   * @param told why there is none that can be relied on, each time that this changes
   */
  Launcher(
      Path data,
      String owner,
      Map<String, String> environment,
      boolean gains,
      Replies replies,
      Consumer<Optional<String>> told) {
    this.data = data;
    this.owner = owner;
    this.environment = environment;
    this.gains = gains;
    this.replies = replies;
    if (!RunTag.available()) {
      LOG.warn(
          "the limit of file locks cannot be set: of what jobs leave behind, who has left their"
              + " session and emptied its environment is not found");
    }
    this.told = told;
    this.helper = new Helper("the spawner", this::start, this::judged);
    helper.begin();
  }

  private void judged(Optional<String> trouble) {
    told.accept(trouble);
    trouble.ifPresent(this::giveBack);
  }

  /** What waits for a spawner may be for others to run. */
  private synchronized void giveBack(String why) {
    List<String> waiting = List.copyOf(unanswered.keySet());
    unanswered.clear();
    waiting.forEach(run -> replies.unavailable(run, why));
  }

  private synchronized void start(int round) throws IOException {
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
    Path keepers = OwnFiles.folder(data.resolve(KeeperMain.FOLDER));
    Process keeper = begin(builder);
    try {
      OwnProcess.of(keeper.pid()).write(keepers.resolve(Long.toString(keeper.pid())));
      OrderPipe orders = OrderPipe.to(keeper.getOutputStream());
      started = Optional.of(new Started(keeper, orders));
      unanswered.values().forEach(orders::write);
      Vital.thread("launcher-replies", () -> follow(keeper, orders, round)).start();
    } catch (IOException | RuntimeException | Error e) {
      started.ifPresent(Launcher::end);
      started = Optional.empty();
      end(keeper.toHandle());
      throw e;
    }
    CompletableFuture.delayedExecutor(MOST_TO_START_S, TimeUnit.SECONDS)
        .execute(
            () -> {
              if (helper.awaits(round)) {
                end(keeper.toHandle());
              }
            });
  }

  /**
   * Where no thread can be made to wait for its end the keeper is there, and nobody has its
   * process: it would wait for orders for ever.
   */
  private Process begin(ProcessBuilder builder) throws IOException {
    try {
      return builder.start();
    } catch (Error e) {
      ProcessHandle.current().children().filter(this::isFresh).forEach(Launcher::end);
      throw e;
    }
  }

  /** Whether it has not become a keeper yet, which has none of these arguments. */
  private boolean isFresh(ProcessHandle child) {
    List<String> own = own(KeeperMain.ARGUMENT, KeeperMain.class);
    return List.of(child.info().arguments().orElse(new String[0]))
        .containsAll(own.subList(2, own.size()));
  }

  private static void end(ProcessHandle keeper) {
    keeper.descendants().forEach(ProcessHandle::destroyForcibly);
    keeper.destroyForcibly();
  }

  private List<String> command() {
    List<String> command = own(KeeperMain.ARGUMENT, KeeperMain.class);
    command.addAll(own(SpawnerMain.ARGUMENT, SpawnerMain.class));
    command.add(owner);
    if (gains) {
      command.add(SpawnerMain.GAINS);
    }
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
    return started.map(found -> found.keeper().pid()).orElse(0L);
  }

  private void follow(Process from, OrderPipe orders, int round) {
    read(from, round);
    orders.close();
    if (!helper.closed()) {
      replies.died();
      helper.died(round, "see launcher.err in the data folder");
    }
  }

  /** Asks for a run to be started. */
  void launch(Order order) {
    Optional<String> trouble = helper.trouble();
    if (trouble.isPresent()) {
      replies.unavailable(order.run(), trouble.get());
    } else {
      ask(order);
    }
  }

  private synchronized void ask(Order order) {
    unanswered.put(order.run(), order);
    started.ifPresent(spawner -> spawner.orders().write(order));
  }

  private void read(Process from, int round) {
    try (BufferedReader lines = from.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(SpawnerMain.READY)) {
          helper.works(round);
        } else {
          reply(line.split(" ", 4));
        }
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
  public void close() {
    helper.close();
    last().ifPresent(Launcher::end);
  }

  private synchronized Optional<Started> last() {
    return started;
  }

  private static void end(Started spawner) {
    spawner.orders().close();
  }
}
