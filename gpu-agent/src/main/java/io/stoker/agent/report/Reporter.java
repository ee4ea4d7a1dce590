package io.stoker.agent.report;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Sends events until the broker has them. An end goes at once and takes with it what waits; the
 * steps before wait {@value #LINGER_MS} ms for it, so that a job of a few milliseconds costs one
 * record and one event, and the dispatcher one transaction: an end says all that the acceptance and
 * the start before it would. What piles up behind {@value #IN_FLIGHT} unacknowledged records goes
 * together in the next. Without an epoch it holds back.
 *
 * <p>Events of one attempt may overtake each other on the topic: their numbers tell.
 */
public final class Reporter {
  private static final int IN_FLIGHT = 2;
  private static final int LINGER_MS = 5;
  private static final int MOST_EVENTS = 200;
  private static final int MOST_BYTES = 512 * 1024;

  private final String host;
  private final Outlet outlet;
  private final Executor later;
  private final Deque<Unsent> waiting = new ArrayDeque<>();

  /** What waits of each attempt that its end makes needless: that it was accepted, and runs. */
  private final Map<AttemptKey, List<Unsent>> steps = new HashMap<>();

  private OptionalLong epoch = OptionalLong.empty();
  private int inFlight;

  /**
   * @param later runs a task after a pause, for records that failed
   */
  public Reporter(String host, Outlet outlet, Executor later) {
    this.host = host;
    this.outlet = outlet;
    this.later = later;
  }

  /** An event, and the token that signs it when it is sent. */
  private static final class Unsent {
    private final AttemptEvent event;
    private final String token;
    private boolean needless;

    Unsent(AttemptEvent event, String token) {
      this.event = event;
      this.token = token;
    }

    AttemptKey key() {
      return new AttemptKey(event.job(), event.attempt());
    }

    boolean isStep() {
      return event.type() == AttemptEvent.Type.ACCEPTED
          || event.type() == AttemptEvent.Type.RUNNING;
    }

    AttemptEvent signed() {
      return event.signed(Macs.sign(Base64.getDecoder().decode(token), event));
    }
  }

  /** Signs an event with its attempt's token, and sends it as soon as may be. */
  public void send(AttemptEvent event, String token) {
    Unsent unsent = new Unsent(event, token);
    boolean first;
    synchronized (this) {
      first = waiting.isEmpty();
      waiting.addLast(unsent);
      if (unsent.isStep()) {
        steps.computeIfAbsent(unsent.key(), key -> new ArrayList<>(2)).add(unsent);
      } else if (event.type() == AttemptEvent.Type.ENDED) {
        List<Unsent> before = steps.remove(unsent.key());
        if (before != null) {
          before.forEach(step -> step.needless = true);
        }
      }
    }
    if (event.type() == AttemptEvent.Type.ENDED) {
      pump();
    } else if (first) {
      CompletableFuture.delayedExecutor(LINGER_MS, TimeUnit.MILLISECONDS).execute(this::pump);
    }
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
    return waiting.size();
  }

  /**
   * Waits until the broker has everything that may be sent.
   *
   * @param nanos at most
   * @return whether it has
   */
  public synchronized boolean awaitIdle(long nanos) throws InterruptedException {
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
        batch = take();
        if (batch.isEmpty()) {
          return;
        }
        inFlight++;
        reportedIn = epoch.getAsLong();
      }
      EventsRecord record =
          new EventsRecord(host, reportedIn, batch.stream().map(Unsent::signed).toList());
      outlet
          .send(batch.getFirst().event.job(), Json.bytes(record))
          .whenComplete((done, failure) -> acknowledged(batch, failure));
    }
  }

  private List<Unsent> take() {
    List<Unsent> batch = new ArrayList<>();
    int bytes = 0;
    while (!waiting.isEmpty() && batch.size() < MOST_EVENTS) {
      Unsent next = waiting.getFirst();
      if (next.needless) {
        waiting.removeFirst();
        continue;
      }
      AttemptEvent event = next.event;
      bytes += event.result() == null ? 500 : 500 + event.result().toString().length();
      if (bytes > MOST_BYTES && !batch.isEmpty()) {
        break;
      }
      batch.add(waiting.removeFirst());
      if (next.isStep()) {
        steps.remove(next.key());
      }
    }
    return batch;
  }

  private void acknowledged(List<Unsent> batch, Throwable failure) {
    synchronized (this) {
      inFlight--;
      notifyAll();
      if (failure != null) {
        for (int i = batch.size() - 1; i >= 0; i--) {
          waiting.addFirst(batch.get(i));
        }
      }
    }
    if (failure == null) {
      pump();
    } else {
      later.execute(this::pump);
    }
  }
}
