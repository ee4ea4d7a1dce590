package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.jboss.logging.Logger;

/**
 * Works on all that a channel has brought by now as one batch. A consumer hands over what each poll
 * happened to find, which under load is little and often; here that is put together while the batch
 * before it is worked on. A message is acknowledged when its batch is done.
 *
 * @param <T> what a message carries
 */
public final class Inbox<T> {
  private static final Logger LOG = Logger.getLogger(Inbox.class);

  /** Messages that may wait; then the channel is asked for no more. */
  private static final int WAITING = 64;

  private final Function<List<T>, Uni<Integer>> work;
  private final Pump pump;
  private final Deque<Message<T>> waiting = new ArrayDeque<>();
  private final Deque<Runnable> held = new ArrayDeque<>();
  private volatile int lastJobs;

  /**
   * @param work on the messages' payloads in their order; says about how many jobs they were, and
   *     does not fail
   */
  public Inbox(String name, Function<List<T>, Uni<Integer>> work) {
    this.work = work;
    pump = new Pump(name, this::next, () -> Spacing.nanosAfter(lastJobs));
  }

  /**
   * Takes a message.
   *
   * @return done when there is room for another one
   */
  public Uni<Void> put(Message<T> message) {
    return Uni.createFrom()
        .emitter(
            room -> {
              boolean full;
              synchronized (waiting) {
                waiting.add(message);
                full = waiting.size() >= WAITING;
                if (full) {
                  held.add(() -> room.complete(null));
                }
              }
              pump.wake();
              if (!full) {
                room.complete(null);
              }
            });
  }

  private Uni<Boolean> next() {
    List<Message<T>> batch;
    List<Runnable> released;
    synchronized (waiting) {
      batch = new ArrayList<>(waiting);
      released = new ArrayList<>(held);
      waiting.clear();
      held.clear();
    }
    lastJobs = 0;
    released.forEach(Runnable::run);
    if (batch.isEmpty()) {
      return Uni.createFrom().item(false);
    }
    return work.apply(batch.stream().map(Message::getPayload).toList())
        .invoke(
            jobs -> {
              lastJobs = jobs;
              batch.forEach(Inbox::acknowledge);
            })
        .replaceWith(false);
  }

  private static <T> void acknowledge(Message<T> message) {
    CompletionStage<Void> acknowledged = message.ack();
    acknowledged.whenComplete(
        (done, error) -> {
          if (error != null) {
            LOG.warnf("a message is not acknowledged and will come again: %s", error.getMessage());
          }
        });
  }
}
