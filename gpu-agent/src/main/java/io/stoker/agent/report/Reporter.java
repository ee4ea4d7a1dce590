package io.stoker.agent.report;

import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.EventsRecord;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends events until the broker has them. An end goes at once and takes with it what waits; the
 * steps before wait {@value #LINGER_MS} ms for it, so that a job of a few milliseconds costs one
 * record and one event, and the dispatcher one transaction: an end says all that the acceptance and
 * the start before it would. What piles up behind {@value #IN_FLIGHT} unacknowledged records goes
 * together in the next. Without an epoch it holds back.
 *
 * <p>Steps of warm workers' jobs are {@linkplain HeldSteps held} for longer: what is over in
 * milliseconds waits in a queue before.
 *
 * <p>A record has events of one {@linkplain Outlet#lane lane} alone, so that those of an attempt
 * keep their order: a result that came after the end of its job would count for nothing. One that
 * could not be sent and is sent again may still be overtaken: the numbers tell.
 */
public final class Reporter {
  private static final int IN_FLIGHT = 4;
  private static final int LINGER_MS = 5;

  private final String host;
  private final Outlet outlet;
  private final Executor later;
  private final Consumer<List<AttemptEvent>> taken;
  private final Backlog waiting = new Backlog();
  private final HeldSteps held = new HeldSteps();
  private OptionalLong epoch = OptionalLong.empty();
  private int inFlight;

  /**
   * @param later runs a task after a pause, for records that failed
   * @param taken told of results that the broker has, from any thread
   */
  public Reporter(String host, Outlet outlet, Executor later, Consumer<List<AttemptEvent>> taken) {
    this.taken = taken;
    this.host = host;
    this.outlet = outlet;
    this.later = later;
  }

  /** Signs an event with its attempt's token, and sends it as soon as may be. */
  public void send(AttemptEvent event, String token) {
    Unsent unsent = unsent(event, token);
    boolean first;
    synchronized (this) {
      Optional<Unsent> step = held.take(unsent.key());
      first = waiting.isEmpty();
      if (event.type() != AttemptEvent.Type.ENDED) {
        step.ifPresent(waiting::add);
      }
      waiting.add(unsent);
    }
    if (event.type() == AttemptEvent.Type.ENDED) {
      pump();
    } else if (first) {
      CompletableFuture.delayedExecutor(LINGER_MS, TimeUnit.MILLISECONDS).execute(this::pump);
    }
  }

  /** The same for a step that need not be told at once: its end may say all that it would. */
  public void sendLater(AttemptEvent step, String token) {
    OptionalLong pause;
    synchronized (this) {
      pause = held.hold(unsent(step, token), nowMs());
    }
    pause.ifPresent(this::releaseIn);
  }

  private Unsent unsent(AttemptEvent event, String token) {
    return new Unsent(event, token, outlet.lane(event.job()));
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void releaseIn(long ms) {
    CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS).execute(this::release);
  }

  private void release() {
    OptionalLong pause;
    synchronized (this) {
      long now = nowMs();
      held.take(now).forEach(waiting::add);
      pause = held.next(now);
    }
    pump();
    pause.ifPresent(this::releaseIn);
  }

  /** Says in which epoch events are reported; empty holds them back. */
  public void inEpoch(OptionalLong current) {
    synchronized (this) {
      if (epoch.equals(current)) {
        return;
      }
      epoch = current;
    }
    pump();
  }

  /** How many events the broker does not have yet, those on their way not counted. */
  public synchronized int backlog() {
    return waiting.size() + held.size();
  }

  /**
   * Waits until the broker has everything that may be sent.
   *
   * @param nanos at most
   * @return whether it has
   */
  public boolean awaitIdle(long nanos) throws InterruptedException {
    synchronized (this) {
      held.take(Long.MAX_VALUE).forEach(waiting::add);
    }
    pump();
    return awaitSent(nanos);
  }

  private synchronized boolean awaitSent(long nanos) throws InterruptedException {
    long until = System.nanoTime() + nanos;
    while (inFlight > 0 || (!waiting.isEmpty() && epoch.isPresent())) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private void pump() {
    while (true) {
      List<Unsent> batch;
      long reportedIn;
      synchronized (this) {
        if (inFlight >= IN_FLIGHT || waiting.isEmpty() || epoch.isEmpty()) {
          return;
        }
        batch = waiting.take();
        inFlight++;
        reportedIn = epoch.getAsLong();
      }
      EventsRecord record =
          new EventsRecord(host, reportedIn, batch.stream().map(Unsent::signed).toList());
      outlet
          .send(batch.getFirst().event().job(), Json.bytes(record))
          .whenComplete((done, failure) -> acknowledged(batch, failure));
    }
  }

  private void acknowledged(List<Unsent> batch, Throwable failure) {
    synchronized (this) {
      inFlight--;
      notifyAll();
      if (failure != null) {
        waiting.again(batch);
      }
    }
    if (failure == null) {
      List<AttemptEvent> results =
          batch.stream().filter(one -> one.is(Type.RESULT)).map(Unsent::event).toList();
      if (!results.isEmpty()) {
        taken.accept(results);
      }
      pump();
    } else {
      later.execute(this::pump);
    }
  }
}
