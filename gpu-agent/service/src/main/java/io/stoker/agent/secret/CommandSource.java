package io.stoker.agent.secret;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

  private final String name;
  private final List<String> command;
  private volatile String value;
  private volatile String trouble = "its command has not answered yet";

  /**
   * Begins to ask.
   *
   * @param refresh between two askings
   */
  public CommandSource(String name, List<String> command, Duration refresh) {
    this.name = name;
    this.command = List.copyOf(command);
    CompletableFuture<Void> first = new CompletableFuture<>();
    Thread.ofVirtual().name("secret " + name).start(() -> askOn(refresh, first));
    first.completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
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
      CompletableFuture.delayedExecutor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .execute(() -> end(asked));
      byte[] said = asked.getInputStream().readNBytes(MOST + 1);
      int code = asked.waitFor();
      if (code != 0 || said.length > MOST) {
        throw new IOException(
            code != 0
                ? "%s ended with exit code %d".formatted(command.getFirst(), code)
                : "%s prints more than %d bytes".formatted(command.getFirst(), MOST));
      }
      value = SecretSource.stripped(new String(said, StandardCharsets.UTF_8));
    } catch (IOException e) {
      trouble = e.getMessage();
      LOG.warnf("secret %s is not read anew: %s", name, trouble);
    }
  }

  /** Whom it has started may hold its output open. */
  private static void end(Process asked) {
    asked.descendants().forEach(ProcessHandle::destroyForcibly);
    asked.destroyForcibly();
  }

  @Override
  public String read() throws IOException {
    if (value == null) {
      throw new IOException(trouble);
    }
    return value;
  }
}
