package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Works on all that a channel's consumers have brought by now as one batch. A consumer hands over
 * what each poll happened to find, which under load is little and often; here that is put together
 * while the batch before it is worked on. Batches are worked on one after the other; what is left
 * to be done about one, such as telling of it, goes on beside those after it. A message is
 * acknowledged when its batch is done with.
 *
 * @param <T> what a message carries
 */
public final class MicroBatcher<T> {
  /** Messages that may wait; then the channel is asked for no more. */
  private static final int WAITING = 64;

  /** Batches that were worked on and are not done with; then none is begun. */
  private static final int UNSETTLED = 4;

  private final Environment environment;
  private final Function<List<T>, Uni<Worked>> work;
  private final ToLongFunction<T> bytes;
  private final CoalescingTask task;
  private final Deque<Message<T>> waiting = new ArrayDeque<>();
  private final Deque<Runnable> held = new ArrayDeque<>();

  /**
   * Of batches, oldest first; each is done when nothing is left to be done about its batch, and
   * holds nothing of it. Touched by one run after the other alone.
   */
  private final Deque<CompletableFuture<Void>> unsettled = new ArrayDeque<>();

  private long waitingBytes;
  private volatile int lastJobs;

  /**
   * Something to be worked on.
   *
   * @param acknowledge done when its batch is done with
   */
  private record Message<T>(T payload, Runnable acknowledge) {}

  /**
   * A batch after which the next one may be worked on.
   *
   * @param jobs that it was about
   * @param settled done when nothing is left to be done about it; does not fail
   */
  public record Worked(int jobs, Uni<Void> settled) {}

  /**
   * @param bytes of a payload: of large ones fewer may wait, and are worked on at once
   * @param work on the messages' payloads in their order; tried again where it fails
   */
  public MicroBatcher(
      String name,
      Environment environment,
      ToLongFunction<T> bytes,
      Function<List<T>, Uni<Worked>> work) {
    this.environment = environment;
    this.work = work;
    this.bytes = bytes;
    task = new CoalescingTask(name, environment, this::next, () -> BatchDelay.nanosAfter(lastJobs));
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
                full = waiting.size() >= WAITING || waitingBytes >= Limits.RECORDS_AT_ONCE;
                if (full) {
                  held.add(() -> room.complete(null));
                }
              }
              task.wake();
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
                  Limits.RECORDS_AT_ONCE));
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
    List<T> payloads = batch.stream().map(Message::payload).toList();
    return Background.tried(environment, Uni.createFrom().deferred(() -> work.apply(payloads)))
        .chain(worked -> settle(batch, worked))
        .replaceWith(more);
  }

  private Uni<Void> settle(List<Message<T>> batch, Worked worked) {
    lastJobs = worked.jobs();
    CompletableFuture<Void> settled = new CompletableFuture<>();
    worked
        .settled()
        .subscribe()
        .with(
            done -> {
              batch.forEach(message -> message.acknowledge().run());
              settled.complete(null);
            });
    unsettled.removeIf(CompletableFuture::isDone);
    unsettled.add(settled);
    return unsettled.size() < UNSETTLED
        ? Uni.createFrom().voidItem()
        : Uni.createFrom().completionStage(unsettled.remove());
  }
}
