package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Answers hosts beside the reading of what they say, for an answer may take long: several hosts at
 * a time, each one's messages in order. Of what a host says again while it waits only the newest is
 * answered: many hosts that start at once say hello until they are welcomed, and would else have to
 * wait for the answers to hellos that they have given up. Where too many wait all the same an
 * answer is left out: who gets none asks again.
 */
final class Answering {
  static final int AT_ONCE = 8;
  static final int OF_A_HOST = 16;
  static final int WAITING = 4_096;

  private final Environment environment;
  private final Duration patience;
  private final Map<String, Deque<Waiting>> waiting = new LinkedHashMap<>();
  private final Set<String> busy = new HashSet<>();
  private final AtomicInteger wanted = new AtomicInteger();
  private int count;

  /**
   * @param patience that an answer has
   */
  Answering(Environment environment, Duration patience) {
    this.environment = environment;
    this.patience = patience;
  }

  private record Waiting(Object saying, Supplier<Uni<Void>> answer) {}

  /**
   * Answers, once it is its turn.
   *
   * @param saying equal for what says the same again
   * @return false if it is left out
   */
  boolean put(String host, Object saying, Supplier<Uni<Void>> answer) {
    synchronized (this) {
      Deque<Waiting> ofHost = waiting.computeIfAbsent(host, name -> new ArrayDeque<>());
      if (ofHost.removeIf(older -> older.saying().equals(saying))) {
        count--;
      }
      if (count >= WAITING || ofHost.size() >= OF_A_HOST) {
        if (ofHost.isEmpty()) {
          waiting.remove(host);
        }
        return false;
      }
      ofHost.add(new Waiting(saying, answer));
      count++;
    }
    work();
    return true;
  }

  private record Turn(String host, Supplier<Uni<Void>> answer) {}

  /**
   * By one thread at a time: an answer that is there at once does not begin the next one itself.
   */
  private void work() {
    if (wanted.getAndIncrement() > 0) {
      return;
    }
    int seen;
    do {
      seen = wanted.get();
      beginAll();
    } while (wanted.addAndGet(-seen) > 0);
  }

  private void beginAll() {
    for (Turn turn = next(); turn != null; turn = next()) {
      String host = turn.host();
      Uni.createFrom()
          .deferred(turn.answer()::get)
          .ifNoItem()
          .after(patience)
          .on(environment.timer())
          .fail()
          .onTermination()
          .invoke(() -> done(host))
          .subscribe()
          .with(
              done -> work(),
              error -> {
                environment.failed("answering host " + host, error);
                work();
              });
    }
  }

  /** Of the host that has waited longest; null if none may be answered now. */
  private synchronized Turn next() {
    if (busy.size() >= AT_ONCE) {
      return null;
    }
    Iterator<Map.Entry<String, Deque<Waiting>>> hosts = waiting.entrySet().iterator();
    while (hosts.hasNext()) {
      Map.Entry<String, Deque<Waiting>> one = hosts.next();
      if (!busy.contains(one.getKey())) {
        Supplier<Uni<Void>> answer = one.getValue().remove().answer();
        count--;
        hosts.remove();
        if (!one.getValue().isEmpty()) {
          waiting.put(one.getKey(), one.getValue()); // behind the others
        }
        busy.add(one.getKey());
        return new Turn(one.getKey(), answer);
      }
    }
    return null;
  }

  private synchronized void done(String host) {
    busy.remove(host);
  }
}
