package io.stoker.agent.supervise;

import io.stoker.common.life.Vital;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Keeps a process beside the agent there: starts it again when it has died, and tries again, for
 * ever and ever more slowly, if it cannot be started. Says while it cannot be relied on.
 */
public final class Helper implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Helper.class);
  private static final long NANOS_PER_MS = 1_000_000;

  private final String name;
  private final Start start;
  private final Consumer<Optional<String>> told;
  private final ScheduledThreadPoolExecutor clock;
  private Revival revival = Revival.first(now());
  private int round;
  private boolean closed;

  /** How it is started. */
  public interface Start {
    /**
     * Starts it. Whoever does says by {@link Helper#works} and {@link Helper#died} what becomes of
     * it.
     *
     * @param round by which it is named then
     * @throws IOException if it cannot be started; nothing of it is left
     */
    void start(int round) throws IOException;
  }

  /**
   * @param name for people: {@code the watchdog}
   * @param told each time that this changes, why it cannot be relied on; empty if it can
   */
  public Helper(String name, Start start, Consumer<Optional<String>> told) {
    this.name = name;
    this.start = start;
    this.told = told;
    this.clock = Vital.clock(name, 1);
    clock.prestartCoreThread(); // there may be room for none when it is needed
  }

  private static long now() {
    return System.nanoTime() / NANOS_PER_MS;
  }

  /** Starts it, or begins to try. */
  public synchronized void begin() {
    if (closed) {
      return;
    }
    try {
      start.start(++round);
    } catch (Throwable e) { // an Error where no thread can be made to wait for its process
      become(revival.notStarted(now(), name + " cannot be started: " + e.getMessage()));
      again();
    }
  }

  /** It is there and does its work. */
  public synchronized void works(int which) {
    if (which == round && !closed && !revival.up()) {
      become(revival.started(now()));
      look(which);
    }
  }

  private synchronized void look(int which) {
    if (which != round || closed || !revival.up()) {
      return;
    }
    become(revival.looked(now()));
    if (revival.trouble().isPresent()) {
      later(() -> look(which));
    }
  }

  /** Whether it was started, and has not shown yet that it works. */
  public synchronized boolean awaits(int which) {
    return which == round && !closed && !revival.up();
  }

  public synchronized void died(int which, String how) {
    if (which == round && !closed) {
      LOG.warnf("%s has died (%s): starting another", name, how);
      become(revival.died(now(), name + " dies again and again: " + how));
      again();
    }
  }

  private void again() {
    round++; // what is heard of the one before is of no interest any more
    later(this::begin);
  }

  private void later(Runnable step) {
    clock.schedule(step, revival.pause(), TimeUnit.MILLISECONDS);
  }

  private void become(Revival next) {
    boolean changed = !next.trouble().equals(revival.trouble());
    if (changed) {
      next.trouble()
          .ifPresentOrElse(
              why -> LOG.errorf("%s; trying again, and no job starts meanwhile", why),
              () -> LOG.infof("%s works again", name));
    }
    revival = next;
    if (changed) {
      told.accept(next.trouble());
    }
  }

  /** Why it cannot be relied on; empty if it can. */
  public synchronized Optional<String> trouble() {
    return revival.trouble();
  }

  public synchronized boolean closed() {
    return closed;
  }

  /** It is not started again. */
  @Override
  public synchronized void close() {
    closed = true;
    clock.shutdownNow();
  }
}
