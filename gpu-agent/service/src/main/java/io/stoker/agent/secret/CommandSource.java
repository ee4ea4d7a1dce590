package io.stoker.agent.secret;

import io.stoker.common.life.OutputSoFar;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Takes a secret from what a command of the host's configuration prints, such as Vault's or a
 * cloud's own. The command runs again and again beside the jobs, and not when one starts: a vault
 * that is slow holds up none.
 */
public final class CommandSource implements SecretSource {
  private static final Logger LOG = Logger.getLogger(CommandSource.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Between two looks at what it has printed so far: a pipe that is full holds it up. */
  private static final long LOOK_MS = 20;

  private final String name;
  private final List<String> command;
  private final Duration patience;
  private volatile String value;
  private volatile String trouble = "its command has not answered yet";

  /**
   * Begins to ask.
   *
   * @param refresh between two askings
   */
  public CommandSource(String name, List<String> command, Duration refresh) {
    this(name, command, refresh, PATIENCE);
  }

  /**
   * @param patience for the command, and for its first answer
   */
  public CommandSource(String name, List<String> command, Duration refresh, Duration patience) {
    this.name = name;
    this.command = List.copyOf(command);
    this.patience = patience;
    CompletableFuture<Void> first = new CompletableFuture<>();
    Thread.ofVirtual().name("secret " + name).start(() -> askOn(refresh, first));
    first.completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  private void askOn(Duration refresh, CompletableFuture<Void> first) {
    try {
      while (true) {
        ask();
        first.complete(null);
        Thread.sleep(refresh);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What it says besides is not told: it may say too much. */
  private void ask() throws InterruptedException {
    try {
      Process asked =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      asked.getOutputStream().close();
      value = answer(asked);
    } catch (IOException | RuntimeException e) {
      trouble = e.getMessage();
      LOG.warnf("secret %s is not read anew: %s", name, trouble);
    }
  }

  private String answer(Process asked) throws IOException, InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    OutputSoFar said;
    try (InputStream out = asked.getInputStream()) {
      said = new OutputSoFar(out, MOST + 1);
      boolean over;
      do {
        over = asked.waitFor(LOOK_MS, TimeUnit.MILLISECONDS);
        said.take();
        if (said.size() > MOST) {
          throw new IOException("%s prints more than %d bytes".formatted(command.getFirst(), MOST));
        }
        if (!over && System.nanoTime() - until > 0) {
          throw new IOException(
              "%s has not ended within %d s".formatted(command.getFirst(), patience.toSeconds()));
        }
      } while (!over);
    } finally {
      if (asked.isAlive()) {
        end(asked);
      }
    }
    if (asked.exitValue() != 0) {
      throw new IOException(
          "%s ended with exit code %d".formatted(command.getFirst(), asked.exitValue()));
    }
    return SecretSource.stripped(said.text());
  }

  private static void end(Process asked) {
    List<ProcessHandle> started = asked.descendants().toList();
    asked.destroyForcibly();
    started.forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public String read() throws IOException {
    if (value == null) {
      throw new IOException(trouble);
    }
    return value;
  }
}
