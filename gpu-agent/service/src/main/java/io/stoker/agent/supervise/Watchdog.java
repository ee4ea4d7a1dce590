package io.stoker.agent.supervise;

import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.RunTag;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Keeps the watchdog process alive; see {@code watchdog.sh}. While there is none, spawners start
 * nothing.
 */
public final class Watchdog implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Watchdog.class);

  /** Between two looks, at most: a deadline that comes nearer is noticed that late. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** It waits for the processes by which it looks at others. */
  private static final Duration MOST_TO_END = Duration.ofSeconds(15);

  /** One that has not said by then that it is in charge never will. */
  private static final Duration MOST_TO_START = Duration.ofSeconds(30);

  private static final String READY = "ready";

  private final Path data;
  private final String owner;
  private final Duration longest;
  private final Helper helper;
  private Optional<Process> process = Optional.empty();

  /**
   * Starts it and returns when it is in charge, or cannot be for now.
   *
   * @param data the agent's data folder, absolute
   * @param owner what the markers of this agent's runs begin with
   * @param told why there is none that can be relied on, each time that this changes
   */
  public Watchdog(Path data, String owner, Consumer<Optional<String>> told) {
    this(data, owner, LONGEST, told);
  }

  /**
   * Starts one that looks more often.
   *
   * @param longest between two looks, 10 ms or more
   */
  public Watchdog(Path data, String owner, Duration longest, Consumer<Optional<String>> told) {
    this.longest = longest;
    this.data = data;
    this.owner = owner;
    this.helper = new Helper("the watchdog", this::start, told);
    helper.begin();
  }

  private synchronized void start(int round) throws IOException {
    Path script = Scripts.unpack(Watchdog.class, "watchdog.sh", data);
    OwnProcess agent = OwnProcess.of(ProcessHandle.current().pid());
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                "setsid",
                "sh",
                script.toString(),
                data.toString(),
                owner,
                Long.toString(agent.pid()),
                Long.toString(agent.startTicks()),
                Long.toString(longest.toMillis() / 10),
                Long.toString(RunTag.ownerOf(owner))));
    String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    builder.environment().clear();
    builder.environment().put("PATH", path);
    builder.redirectError(data.resolve("watchdog.err").toFile());
    Process fresh = builder.start();
    String said = firstWord(fresh);
    if (!READY.equals(said)) {
      fresh.destroyForcibly();
      throw new IOException("it said " + said + " instead of " + READY);
    }
    process = Optional.of(fresh);
    helper.works(round);
    fresh.onExit().thenAccept(dead -> helper.died(round, "exit code " + dead.exitValue()));
  }

  /** What it says first; null if that is nothing. One that hangs is ended. */
  private static String firstWord(Process fresh) throws IOException {
    CompletableFuture<?> patience =
        CompletableFuture.runAsync(
            fresh::destroyForcibly,
            CompletableFuture.delayedExecutor(MOST_TO_START.toMillis(), TimeUnit.MILLISECONDS));
    try {
      BufferedReader said = fresh.inputReader(StandardCharsets.UTF_8);
      return said.readLine();
    } finally {
      patience.cancel(false);
    }
  }

  /** Of the one that was started last; 0 if none ever was. */
  public synchronized long pid() {
    return process.map(Process::pid).orElse(0L);
  }

  /**
   * Ends it, only when no job is left that it would have to kill, and returns when it is gone: with
   * its folder it could not end the keepers that are named there.
   */
  @Override
  public void close() {
    helper.close();
    Optional<Process> last = last();
    if (last.isEmpty()) {
      return;
    }
    last.get().destroy();
    try {
      if (!last.get().waitFor(MOST_TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the watchdog does not end: it is left to itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Optional<Process> last() {
    return process;
  }
}
