package io.stoker.agent.container;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Copies a container's output from its engine into its run's two files: as it comes, and whole at
 * the end. Following is not enough. Engines are restarted, and podman's {@code logs --follow}
 * leaves lines out that a fast writer writes, and succeeds.
 *
 * <p>The engine's command writes into pipes, so one that outlives its agent writes nowhere.
 */
final class ContainerLog {
  private static final Logger LOG = Logger.getLogger(ContainerLog.class);

  /** Between two tries to read what the engine did not tell. */
  private static final long RETRY_MS = 2_000;

  private static final int TRIES = 5;

  /** What the follower may take to tell the rest once its container has ended. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(10);

  /** A reading that gets nothing for so long is given up, s. */
  private static final long STALLED_S = 60;

  private final Engine engine;
  private final String container;
  private final LogStream stdout;
  private final LogStream stderr;
  private Optional<Process> following = Optional.empty();
  private boolean over;
  private Thread follower;

  ContainerLog(Engine engine, String container, Path stdout, Path stderr) {
    this.engine = engine;
    this.container = container;
    this.stdout = new LogStream(stdout);
    this.stderr = new LogStream(stderr);
  }

  /** Begins to take what is said as it comes. */
  void follow() {
    follower = Thread.ofVirtual().name("log of " + container).start(this::followOn);
  }

  /** An engine that is restarted ends those who follow; its containers may live on. */
  private void followOn() {
    try {
      for (Optional<Process> logs = begin(); logs.isPresent(); logs = begin()) {
        readBoth(logs.get(), stdout::take, stderr::take);
        pause();
      }
    } catch (IOException e) {
      LOG.warnf("what container %s says is read at its end: %s", container, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Empty once the container has ended. */
  private synchronized Optional<Process> begin() throws IOException {
    following = over ? Optional.empty() : Optional.of(engine.logs(container, true));
    return following;
  }

  private synchronized void pause() throws InterruptedException {
    if (!over) {
      wait(RETRY_MS);
    }
  }

  /** Takes what following has left out of the log of a container that has ended. */
  void takeRest() throws InterruptedException {
    for (int tries = 1; tries <= TRIES; tries++) {
      try {
        if (takeWhole()) {
          return;
        }
      } catch (IOException e) {
        LOG.debugf(e, "the log of container %s", container);
      }
      Thread.sleep(RETRY_MS);
    }
    LOG.warnf("%s does not tell all that container %s has said", engine.name(), container);
    try {
      stderr.say("stoker: " + engine.name() + " does not tell the rest of this log");
    } catch (IOException e) {
      LOG.warnf("the log of container %s cannot be written: %s", container, e.getMessage());
    }
  }

  /** Follows no more, once what was said before is read. */
  void stop() throws InterruptedException {
    synchronized (this) {
      over = true;
      notifyAll();
    }
    if (!follower.join(LAST_WORDS)) {
      synchronized (this) {
        following.ifPresent(Process::destroyForcibly);
      }
    }
  }

  /** Takes nothing any more. */
  synchronized void close() {
    over = true;
    notifyAll();
    following.ifPresent(Process::destroyForcibly);
    stdout.close();
    stderr.close();
  }

  /** Returns whether the files hold all of it now. */
  private boolean takeWhole() throws IOException, InterruptedException {
    Lacks lacks = new Lacks();
    boolean read =
        readBoth(
            engine.logs(container, false),
            log -> lacks.stdout = stdout.take(log),
            log -> lacks.stderr = stderr.take(log));
    if (!read || !lacks.any()) {
      return read;
    }
    LOG.infof("%s left out what container %s said: it is taken again", engine.name(), container);
    return readBoth(
        engine.logs(container, false),
        log -> again(stdout, lacks.stdout, log),
        log -> again(stderr, lacks.stderr, log));
  }

  /** From where each file lacks lines of the log. */
  private static final class Lacks {
    private volatile OptionalLong stdout = OptionalLong.empty();
    private volatile OptionalLong stderr = OptionalLong.empty();

    boolean any() {
      return stdout.isPresent() || stderr.isPresent();
    }
  }

  private static void again(LogStream stream, OptionalLong from, InputStream log)
      throws IOException {
    if (from.isPresent()) {
      stream.takeFrom(from.getAsLong(), log);
    } else {
      log.transferTo(OutputStream.nullOutputStream());
    }
  }

  private interface Reader {
    void read(InputStream log) throws IOException;
  }

  /** Returns whether the engine says that it told all, and all was taken. */
  private boolean readBoth(Process logs, Reader out, Reader err) throws InterruptedException {
    CompletableFuture<Void> read =
        CompletableFuture.allOf(
            reading(logs.getInputStream(), out), reading(logs.getErrorStream(), err));
    boolean told = awaitEnd(logs);
    try {
      read.get(LAST_WORDS.toSeconds(), TimeUnit.SECONDS);
      return told;
    } catch (ExecutionException | TimeoutException e) {
      LOG.debugf(e, "the log of container %s", container);
      return false;
    }
  }

  /** On a thread of the system's: such a read occupies one until there is something to read. */
  private CompletableFuture<Void> reading(InputStream log, Reader reader) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("log of " + container)
        .start(
            () -> {
              try (log) {
                reader.read(log);
                done.complete(null);
              } catch (IOException e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  private boolean awaitEnd(Process logs) throws InterruptedException {
    long before = -1;
    while (!logs.waitFor(STALLED_S, TimeUnit.SECONDS)) {
      long now = stdout.read() + stderr.read();
      if (now == before && isOver()) {
        logs.destroyForcibly();
        return false;
      }
      before = now;
    }
    return logs.exitValue() == 0;
  }

  private synchronized boolean isOver() {
    return over;
  }
}
