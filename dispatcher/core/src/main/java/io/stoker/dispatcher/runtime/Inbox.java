package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Works on all that a channel has brought by now as one batch. A consumer hands over what each poll
 * happened to find, which under load is little and often; here that is put together while the batch
 * before it is worked on. A message is acknowledged when its batch is done.
 *
 * @param <T> what a message carries
 */
public final class Inbox<T> {
  /** Messages that may wait; then the channel is asked for no more. */
  private static final int WAITING = 64;

  private final Function<List<T>, Uni<Integer>> work;
  private final ToLongFunction<T> bytes;
  private final Pump pump;
  private final Deque<Message<T>> waiting = new ArrayDeque<>();
  private final Deque<Runnable> held = new ArrayDeque<>();
  private long waitingBytes;
  private volatile int lastJobs;

  /**
   * Something to be worked on.
   *
   * @param acknowledge done when its batch is done
   */
  private record Message<T>(T payload, Runnable acknowledge) {}

  /**
   * @param bytes of a payload: of large ones fewer may wait, and are worked on at once
   * @param work on the messages' payloads in their order; says about how many jobs they were, and
   *     does not fail
   */
  public Inbox(String name, ToLongFunction<T> bytes, Function<List<T>, Uni<Integer>> work) {
    this.work = work;
    this.bytes = bytes;
    pump = new Pump(name, this::next, () -> Spacing.nanosAfter(lastJobs));
  }

  /**
   * Takes a message.
   *
   * @param acknowledge done when its batch is done
   * @return done when there is room for another one
   */
  public Uni<Void> put(T payload, Runnable acknowledge) {
    Message<T> message = new Message<>(payload, acknowledge);
    return Uni.createFrom()
        .emitter(
            room -> {
              boolean full;
              synchronized (waiting) {
                waiting.add(message);
                waitingBytes += bytes.applyAsLong(message.payload());
                full = waiting.size() >= WAITING || waitingBytes >= Limits.AT_ONCE;
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
    boolean more;
    synchronized (waiting) {
      batch =
          new ArrayList<>(
              Slices.first(
                  new ArrayList<>(waiting),
                  message -> bytes.applyAsLong(message.payload()),
                  Limits.AT_ONCE));
      batch.forEach(
          message -> {
            waiting.remove();
            waitingBytes -= bytes.applyAsLong(message.payload());
          });
      more = !waiting.isEmpty();
      released = more ? List.of() : new ArrayList<>(held);
      if (!more) {
        held.clear();
      }
    }
    lastJobs = 0;
    released.forEach(Runnable::run);
    if (batch.isEmpty()) {
      return Uni.createFrom().item(false);
    }
    return work.apply(batch.stream().map(Message::payload).toList())
        .invoke(
            jobs -> {
              lastJobs = jobs;
              batch.forEach(message -> message.acknowledge().run());
            })
        .replaceWith(more);
  }
}
