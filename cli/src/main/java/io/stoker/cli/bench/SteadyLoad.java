package io.stoker.cli.bench;

import io.stoker.cli.kafka.RecordWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Posts so many requests a second, evenly, in a thread of its own, until it is closed. */
final class SteadyLoad implements AutoCloseable {
  private static final long PACE_NANOS = Duration.ofMillis(20).toNanos();

  private final Target target;
  private final Requests requests;
  private final int perSecond;
  private final Consumer<String> sending;
  private final Thread thread;
  private final long began = System.nanoTime();
  private volatile boolean stopped;
  private volatile RuntimeException problem;
  private volatile int sent;
  private volatile String last;

  /**
   * @param sending told the id of each just before it is posted
   */
  SteadyLoad(Target target, Requests requests, int perSecond, Consumer<String> sending) {
    this.target = target;
    this.requests = requests;
    this.perSecond = perSecond;
    this.sending = sending;
    thread = Thread.ofPlatform().name("steady-load").daemon().start(this::run);
  }

  private void run() {
    try (RecordWriter writer = new RecordWriter(target.kafka(), target.topics().requests(), 0)) {
      while (!stopped) {
        long due = (System.nanoTime() - began) * perSecond / 1_000_000_000L;
        for (; sent < due; sent++) {
          Requests.Made next = requests.next();
          sending.accept(next.id());
          writer.send(next.id(), next.body());
          last = next.id();
        }
        LockSupport.parkNanos(PACE_NANOS);
      }
      writer.flush();
    } catch (RuntimeException e) {
      problem = e;
    }
  }

  /** Requests that were posted a second so far. */
  double rate() {
    return sent / ((System.nanoTime() - began) / 1e9);
  }

  /** Throws why it posts no more, if it had to end. */
  void check() {
    if (problem != null) {
      throw problem;
    }
  }

  /** Stops it. Returns the id of the last one that was posted. */
  String stop() {
    close();
    check();
    return last;
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
