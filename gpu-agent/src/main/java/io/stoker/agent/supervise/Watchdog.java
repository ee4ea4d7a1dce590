package io.stoker.agent.supervise;

import io.stoker.agent.runner.OwnProcess;
import io.stoker.agent.runner.Scripts;
import io.stoker.agent.spawn.RunTag;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  private final Path data;
  private final Path script;
  private final String owner;
  private final Duration longest;
  private Process process;
  private boolean closed;

  /**
   * Starts it and returns when it is in charge.
   *
   * @param data the agent's data folder, absolute
   * @param owner what the markers of this agent's runs begin with
   */
  public Watchdog(Path data, String owner) throws IOException {
    this(data, owner, LONGEST);
  }

  /**
   * Starts one that looks more often.
   *
   * @param longest between two looks, 10 ms or more
   */
  public Watchdog(Path data, String owner, Duration longest) throws IOException {
    this.longest = longest;
    this.data = data;
    this.owner = owner;
    this.script = Scripts.unpack(Watchdog.class, "watchdog.sh", data);
    start();
  }

  private void start() throws IOException {
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
    BufferedReader said = fresh.inputReader(StandardCharsets.UTF_8);
    String line = said.readLine();
    if (!"ready".equals(line)) {
      throw new IOException("the watchdog did not start: it said " + line);
    }
    process = fresh;
    fresh.onExit().thenAccept(this::died);
  }

  private synchronized void died(Process which) {
    if (closed || which != process) {
      return;
    }
    LOG.warnf("the watchdog has died (exit code %d): starting another", which.exitValue());
    try {
      start();
    } catch (IOException e) {
      LOG.error("no watchdog can be started, so no job can: " + e.getMessage());
    }
  }

  public synchronized long pid() {
    return process.pid();
  }

  /**
   * Ends it, only when no job is left that it would have to kill, and returns when it is gone: with
   * its folder it could not end the keepers that are named there.
   */
  @Override
  public synchronized void close() {
    closed = true;
    process.destroy();
    try {
      if (!process.waitFor(MOST_TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the watchdog does not end: it is left to itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
