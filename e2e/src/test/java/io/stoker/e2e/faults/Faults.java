package io.stoker.e2e.faults;

import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.stack.RedisWire;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** What may happen to the processes of a stack; each returns once all of it serves again. */
final class Faults {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  private final StokerStack stack;

  Faults(StokerStack stack) {
    this.stack = stack;
  }

  /** SIGKILL; the stack starts it again. */
  void kill(String name) throws IOException, InterruptedException, TimeoutException {
    EmbeddedStack processes = stack.processes();
    Child child = processes.child(name);
    long killed = child.pid().orElseThrow();
    child.kill();
    child.awaitAnother(killed, PATIENCE);
    processes.awaitServing(child, PATIENCE);
  }

  /** The same of an agent: for as long as its lease its host looks as if nothing had happened. */
  void killAgent(String host) throws IOException, InterruptedException, TimeoutException {
    long epoch = epoch(host);
    kill("agent-" + host);
    awaitWelcome(host, epoch);
  }

  /** The agent stands still until its host is given up, its jobs' watchdog goes on. */
  void pauseUntilLost(String host) {
    Child agent = stack.processes().child("agent-" + host);
    long epoch = epoch(host);
    agent.pause();
    try {
      await("host " + host + " to be lost")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(250))
          .until(() -> state(host), "LOST"::equals);
    } finally {
      agent.resume();
    }
    awaitWelcome(host, epoch);
  }

  private void awaitWelcome(String host, long epoch) {
    await("host " + host + " to be welcomed again")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(250))
        .until(() -> state(host).equals("UP") && epoch(host) > epoch);
  }

  /** Redis forgets everything. */
  void flushRedis() throws IOException {
    String said = RedisWire.ask(stack.processes().info().redis(), "FLUSHALL\r\n");
    if (!said.equals("+OK\r\n")) {
      throw new IOException("FLUSHALL was answered with " + said);
    }
  }

  private String state(String host) throws java.sql.SQLException {
    return stack.database().one("select state from host where id = ?", host);
  }

  private long epoch(String host) {
    try {
      return Long.parseLong(stack.database().one("select epoch from host where id = ?", host));
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException("the epoch of " + host + " cannot be read", e);
    }
  }
}
