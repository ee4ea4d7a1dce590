package io.stoker.cli.stack.child;

import io.stoker.cli.local.ProcessRef;
import io.stoker.common.life.StartFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A supervised child process: while it is wanted it is started again whenever it dies, by the same
 * command and so at the same address. Safe for use by many threads.
 */
public final class Child {
  /** Told of what happens to children; called with the child's lock held, so it must be quick. */
  public interface Watcher {
    /** The child runs now as another process, or not at all. */
    void changed(Child child);

    /** A sentence about the child for people. */
    void said(Child child, String what);
  }

  private final ChildSpec spec;
  private final ScheduledExecutorService timer;
  private final Watcher watcher;

  private Optional<Process> process = Optional.empty();
  private boolean wanted;

  /** Whether its process was told to end, and is not gone yet. */
  private boolean leaving;

  private int deaths;
  private boolean misconfigured;
  private long startedNanos;
  private Backoff backoff = Backoff.FRESH;

  public Child(ChildSpec spec, ScheduledExecutorService timer, Watcher watcher) {
    this.spec = spec;
    this.timer = timer;
    this.watcher = watcher;
  }

  public ChildSpec spec() {
    return spec;
  }

  public String name() {
    return spec.name();
  }

  /** The real process, empty while there is none. */
  public synchronized Optional<ProcessRef> process() {
    return process.map(running -> ProcessRef.of(running.toHandle()));
  }

  /** The pid of the real process, empty while there is none. */
  public synchronized Optional<Long> pid() {
    return process.map(Process::pid);
  }

  /** How often it has died unasked so far. */
  public synchronized int deaths() {
    return deaths;
  }

  /**
   * Wants it to run from now on; no effect if it is wanted already. While its process is still
   * leaving, the next one follows that: two would want the same address and the same folder.
   */
  public synchronized void start() {
    if (!wanted) {
      wanted = true;
      backoff = Backoff.FRESH;
      if (process.isEmpty()) {
        launch();
      }
    }
  }

  /** Whether its last process said by its exit code that its settings must be changed. */
  public synchronized boolean misconfigured() {
    return misconfigured;
  }

  /** SIGKILL. If the child is wanted it is started again. */
  public void kill() {
    current().ifPresent(Process::destroyForcibly);
  }

  /** SIGSTOP: the process keeps its address and its memory but does nothing. */
  public void pause() {
    pid().ifPresent(pid -> Signals.send("STOP", pid));
  }

  /** SIGCONT. */
  public void resume() {
    pid().ifPresent(pid -> Signals.send("CONT", pid));
  }

  /**
   * Ends it and leaves it ended: by its stop signal, then, when its grace is over, by SIGKILL.
   * Returns once it is gone.
   */
  public void stop() {
    Optional<Process> running;
    synchronized (this) {
      wanted = false;
      running = process;
      leaving = running.isPresent();
    }
    running.ifPresent(
        ending -> {
          Signals.send(spec.stop().signal(), ending.pid());
          Signals.send("CONT", ending.pid());
          awaitEnd(ending);
        });
  }

  /** {@link #stop} and {@link #start}. */
  public void restart() {
    stop();
    start();
  }

  /**
   * Waits for a process of this child other than {@code before}.
   *
   * @return its pid
   * @throws TimeoutException if there was none within {@code atMost}
   */
  public synchronized long awaitAnother(long before, Duration atMost)
      throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (process.isEmpty() || process.get().pid() == before) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new TimeoutException(
            "%s did not start again within %s after pid %d".formatted(name(), atMost, before));
      }
      wait(left);
    }
    return process.get().pid();
  }

  private synchronized Optional<Process> current() {
    return process;
  }

  private void awaitEnd(Process ending) {
    try {
      if (!ending.waitFor(spec.stop().grace().toMillis(), TimeUnit.MILLISECONDS)) {
        watcher.said(this, "did not end within %s: killed".formatted(spec.stop().grace()));
        ending.destroyForcibly().waitFor();
      }
      gone(ending);
    } catch (InterruptedException e) {
      ending.destroyForcibly(); // its own end reports that it is gone
      Thread.currentThread().interrupt();
    }
  }

  /** Called with the lock held. */
  private void launch() {
    startedNanos = System.nanoTime();
    try {
      Process started = Launcher.launch(spec);
      process = Optional.of(started);
      started.onExit().thenAccept(this::gone);
      watcher.changed(this);
      notifyAll();
    } catch (IOException | RuntimeException | Error e) {
      // Whatever it is, such as no thread to be had: the next try may go well.
      died("could not be started: " + e.getMessage());
    }
  }

  private synchronized void gone(Process ended) {
    // Both the one who stopped it and its own end report; the first one counts.
    if (process.filter(running -> running == ended).isPresent()) {
      boolean asked = leaving;
      process = Optional.empty();
      leaving = false;
      watcher.changed(this);
      misconfigured = ended.exitValue() == StartFailure.MISCONFIGURED;
      if (wanted && asked) {
        launch();
      } else if (wanted) {
        died("ended with exit code " + ended.exitValue());
      }
    }
  }

  /** Tells people something about it. */
  void say(String what) {
    watcher.said(this, what);
  }

  private synchronized void died(String how) {
    deaths++;
    backoff = backoff.afterDeath(Duration.ofNanos(System.nanoTime() - startedNanos));
    watcher.said(this, "%s; started again in %s".formatted(how, pretty(backoff.delay())));
    timer.schedule(this::relaunch, backoff.delay().toMillis(), TimeUnit.MILLISECONDS);
  }

  private synchronized void relaunch() {
    if (wanted && process.isEmpty()) {
      launch();
    }
  }

  private static String pretty(Duration delay) {
    return "%.1f s".formatted(delay.toMillis() / 1000.0);
  }
}
