package io.stoker.agent.report;

import io.stoker.agent.attempt.Effect;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends events until the broker has them; one that it can never have is sent without what the job
 * gave, so that those behind it are not held up for ever. An end goes at once and takes with it
 * what waits; the steps before wait {@value #LINGER_MS} ms for it, so that a job of a few
 * milliseconds costs one record and one event, and the dispatcher one transaction: an end says all
 * that the acceptance and the start before it would. What piles up behind {@value #IN_FLIGHT}
 * unacknowledged records goes together in the next. Without an epoch it holds back.
 *
 * <p>Steps of warm workers' jobs are {@linkplain HeldSteps held} for longer: what is over in
 * milliseconds waits in a queue before.
 *
 * <p>A record has events of one {@linkplain Outlet#lane lane} alone, so that those of an attempt
 * keep their order: a result that came after the end of its job would count for nothing. For the
 * same reason one thread at a time takes and hands over records. One that could not be sent and is
 * sent again may still be overtaken: the numbers tell.
 */
public final class Reporter {
  private static final int IN_FLIGHT = 4;
  private static final int LINGER_MS = 5;

  private final EventsVoice voice;
  private final Outlet outlet;
  private final Timer timer;
  private final Consumer<List<AttemptEvent>> taken;
  private final Backlog waiting = new Backlog();
  private final HeldSteps held = new HeldSteps();
  private OptionalLong epoch = OptionalLong.empty();
  private boolean sealed;
  private int inFlight;
  private boolean pumping;

  /**
   * Failed records whose pause is not over: an outlet that fails at once is not asked in a loop.
   */
  private int pauses;

  /** So many records are to have one event each: they were too large for the broker together. */
  private int singles;

  /**
   * @param taken told of results that the broker has, from any thread
   */
  public Reporter(
      EventsVoice voice, Outlet outlet, Timer timer, Consumer<List<AttemptEvent>> taken) {
    this.taken = taken;
    this.voice = voice;
    this.outlet = outlet;
    this.timer = timer;
  }

  /** Sends an event, in the name of who knows its attempt's token, as soon as may be. */
  public void send(AttemptEvent event, String token) {
    if (event.type() == AttemptEvent.Type.ENDED) {
      sendEnds(List.of(new Effect.Send(event, token)));
      return;
    }
    Unsent unsent = unsent(event, token);
    boolean first;
    synchronized (this) {
      first = waiting.isEmpty();
      held.take(unsent.key()).ifPresent(waiting::add);
      waiting.add(unsent);
    }
    if (first) {
      timer.after(LINGER_MS, this::pump);
    }
  }

  /** The same for ends that are known together: they share records as far as their lanes allow. */
  public void sendEnds(List<Effect.Send> ends) {
    synchronized (this) {
      for (Effect.Send end : ends) {
        Unsent unsent = unsent(end.event(), end.token());
        held.take(unsent.key());
        waiting.add(unsent);
      }
    }
    pump();
  }

  /** The same for a step that need not be told at once: its end may say all that it would. */
  public void sendLater(AttemptEvent step, String token) {
    OptionalLong pause;
    synchronized (this) {
      pause = held.hold(unsent(step, token), timer.nowMs());
    }
    pause.ifPresent(this::releaseIn);
  }

  private Unsent unsent(AttemptEvent event, String token) {
    return new Unsent(event, token, outlet.partition(event.job()));
  }

  private void releaseIn(long ms) {
    timer.after(ms, this::release);
  }

  private void release() {
    OptionalLong pause;
    synchronized (this) {
      long now = timer.nowMs();
      held.take(now).forEach(waiting::add);
      pause = held.next(now);
    }
    pump();
    pause.ifPresent(this::releaseIn);
  }

  /**
   * Says in which epoch events are reported; empty holds them back.
   *
   * @param asWhole whether the dispatchers take records that are signed as a whole
   */
  public void inEpoch(OptionalLong current, boolean asWhole) {
    synchronized (this) {
      sealed = asWhole;
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

  private static boolean tooLarge(Throwable failure) {
    return failure instanceof Outlet.TooLarge || failure.getCause() instanceof Outlet.TooLarge;
  }

  /** What is too large is sent event by event, and if one alone is, without what the job gave. */
  private void makeSmaller(List<Unsent> batch) {
    if (batch.size() > 1) {
      singles += batch.size();
    } else {
      batch.getFirst().strip("it is larger than the broker takes");
    }
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

  /** Sends what may go, unless another thread is at it, which then looks at what is new here. */
  private void pump() {
    synchronized (this) {
      if (pumping) {
        return;
      }
      pumping = true;
    }
    while (true) {
      List<Unsent> batch;
      long reportedIn;
      boolean asWhole;
      synchronized (this) {
        if (!maySend()) {
          pumping = false;
          return;
        }
        batch = singles > 0 ? waiting.take(1) : waiting.take();
        singles = Math.max(0, singles - 1);
        inFlight++;
        reportedIn = epoch.getAsLong();
        asWhole = sealed;
      }
      write(batch, reportedIn, asWhole)
          .whenComplete((done, failure) -> acknowledged(batch, failure));
    }
  }

  private boolean maySend() {
    return inFlight < IN_FLIGHT && pauses == 0 && !waiting.isEmpty() && epoch.isPresent();
  }

  private void resume() {
    synchronized (this) {
      pauses--;
    }
    pump();
  }

  private CompletionStage<Void> write(List<Unsent> batch, long reportedIn, boolean asWhole) {
    try {
      return voice
          .record(reportedIn, asWhole, batch)
          .map(record -> outlet.send(batch.getFirst().event().job(), record))
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    } catch (RuntimeException e) {
      // One that is closed says so at once: the others wait for whoever opens it again.
      return CompletableFuture.failedFuture(e);
    }
  }

  private void acknowledged(List<Unsent> batch, Throwable failure) {
    synchronized (this) {
      inFlight--;
      notifyAll();
      if (failure != null) {
        if (tooLarge(failure)) {
          makeSmaller(batch);
        }
        waiting.again(batch);
        pauses++;
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
      timer.after(Outlet.RETRY_MS, this::resume);
    }
  }
}
