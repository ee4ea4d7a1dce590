package io.stoker.agent.secret;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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

  /** Until what it has printed is read, once it has ended. */
  private static final Duration REST = Duration.ofSeconds(1);

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
      value = answer(asked);
    } catch (IOException e) {
      trouble = e.getMessage();
      LOG.warnf("secret %s is not read anew: %s", name, trouble);
    }
  }

  private String answer(Process asked) throws IOException, InterruptedException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Thread reader = Thread.ofVirtual().start(() -> copy(asked, said));
    if (!asked.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      end(asked);
      throw new IOException(
          "%s has not ended within %d s".formatted(command.getFirst(), PATIENCE.toSeconds()));
    }
    reader.join(REST); // whom it has left behind may hold its output open
    if (said.size() > MOST) {
      throw new IOException("%s prints more than %d bytes".formatted(command.getFirst(), MOST));
    }
    if (asked.exitValue() != 0) {
      throw new IOException(
          "%s ended with exit code %d".formatted(command.getFirst(), asked.exitValue()));
    }
    return SecretSource.stripped(said.toString(StandardCharsets.UTF_8));
  }

  private static void copy(Process asked, ByteArrayOutputStream said) {
    byte[] piece = new byte[8 * 1024];
    try (InputStream out = asked.getInputStream()) {
      for (int n = out.read(piece); n >= 0 && said.size() <= MOST; n = out.read(piece)) {
        said.write(piece, 0, n);
      }
    } catch (IOException e) {
      LOG.debugf(e, "the output of a secret's command was closed");
    }
    if (said.size() > MOST) {
      end(asked);
    }
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
