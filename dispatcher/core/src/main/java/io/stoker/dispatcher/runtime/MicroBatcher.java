package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Works on all that a channel's consumers have brought by now as one batch. A consumer hands over
 * what each poll happened to find, which under load is little and often; here that is put together
 * while the batch before it is worked on. Records of one partition are worked on in their order.
 *
 * <p>Where many wait, the partitions are shared out among lanes: while the batch of one waits for
 * the database, another's is read and decided, as by a replica of its own. Few are one batch after
 * the other, for each has a transaction to pay for, and what is taken in beside another batch finds
 * the hosts' room taken and has to get in line.
 *
 * <p>What is left to be done about a batch, such as telling of it, goes on beside those after it;
 * what was polled is acknowledged when all batches are done with that it is in.
 *
 * @param <T> a record
 */
public final class MicroBatcher<T> {
  /** Polls that may wait; then the channel is asked for no more. */
  private static final int WAITING = 64;

  /** Batches of a lane that were worked on and are not done with; then none is begun. */
  private static final int UNSETTLED = 4;

  /** Records in a batch, at most: larger batches cost memory, and no less time. */
  private static final int MOST = 500;

  /** What a record counts at the least, of the bytes in a batch. */
  private static final int LEAST_BYTES = Limits.RECORDS_AT_ONCE / MOST;

  private final Environment environment;
  private final Function<List<T>, Uni<Worked>> work;
  private final ToLongFunction<T> bytes;
  private final ToIntFunction<T> partition;
  private final List<Lane> lanes;

  /** In the order in which they came; guards all below. */
  private final Deque<Share<T>> waiting = new ArrayDeque<>();

  private final Deque<Runnable> held = new ArrayDeque<>();

  /** Lanes whose partitions a batch is about that is worked on, by number. */
  private final Set<Integer> inWork = new HashSet<>();

  private long waitingBytes;

  /**
   * What a poll has found of a lane's partitions.
   *
   * @param acknowledge to be run when its batch is done with
   */
  private record Share<T>(int lane, List<T> records, long bytes, Runnable acknowledge) {}

  /**
   * A batch after which the next one may be worked on.
   *
   * @param jobs that it was about
   * @param settled done when nothing is left to be done about it; does not fail
   */
  public record Worked(int jobs, Uni<Void> settled) {}

  /**
   * @param count of lanes
   * @param bytes of a record: of large ones fewer may wait, and are worked on at once
   * @param partition of a record
   * @param work on records, those of a partition in their order; tried again where it fails
   */
  public MicroBatcher(
      String name,
      Environment environment,
      int count,
      ToLongFunction<T> bytes,
      ToIntFunction<T> partition,
      Function<List<T>, Uni<Worked>> work) {
    this.environment = environment;
    this.work = work;
    this.bytes = bytes;
    this.partition = partition;
    lanes = IntStream.range(0, count).mapToObj(i -> new Lane(name, i)).toList();
  }

  /**
   * Takes what was polled.
   *
   * @param acknowledge done when all of it is done with
   * @return done when there is room for more
   */
  public Uni<Void> put(Iterable<T> polled, Runnable acknowledge) {
    List<Share<T>> shares = shares(polled, acknowledge);
    return Uni.createFrom()
        .emitter(
            room -> {
              boolean full;
              List<Lane> woken;
              synchronized (waiting) {
                shares.forEach(
                    share -> {
                      waiting.add(share);
                      waitingBytes += share.bytes();
                    });
                full = waiting.size() >= WAITING * lanes.size() || waitingBytes >= most();
                if (full) {
                  held.add(() -> room.complete(null));
                }
                woken = thoseWithWork();
              }
              woken.forEach(Lane::wake);
              if (!full) {
                room.complete(null);
              }
            });
  }

  /**
   * Whom to wake: of few the first lane takes all. A lane that is woken for nothing begins its next
   * batch without the delay after the last one.
   */
  private List<Lane> thoseWithWork() {
    return lanes.stream()
        .filter(
            lane ->
                areMany()
                    ? waiting.stream().anyMatch(share -> share.lane() == lane.number)
                    : lane.number == 0 && !waiting.isEmpty())
        .toList();
  }

  private boolean areMany() {
    return waitingBytes >= (long) BatchDelay.MANY * LEAST_BYTES;
  }

  /** Bytes that may wait: each lane finds a whole batch. */
  private long most() {
    return (long) Limits.RECORDS_AT_ONCE * lanes.size();
  }

  private List<Share<T>> shares(Iterable<T> polled, Runnable acknowledge) {
    Map<Integer, List<T>> byLane = new TreeMap<>();
    for (T record : polled) {
      byLane
          .computeIfAbsent(partition.applyAsInt(record) % lanes.size(), i -> new ArrayList<>())
          .add(record);
    }
    AtomicInteger missing = new AtomicInteger(byLane.size());
    Runnable done =
        () -> {
          if (missing.decrementAndGet() == 0) {
            acknowledge.run();
          }
        };
    List<Share<T>> shares = new ArrayList<>();
    byLane.forEach(
        (lane, records) -> {
          long size =
              records.stream()
                  .mapToLong(one -> Math.max(bytes.applyAsLong(one), LEAST_BYTES))
                  .sum();
          shares.add(new Share<>(lane, records, size, done));
        });
    return shares;
  }

  /** The batches of some partitions, one after the other. */
  private final class Lane {
    private final int number;
    private final CoalescingTask task;

    /**
     * Of batches, oldest first; each is done when nothing is left to be done about its batch, and
     * holds nothing of it. Touched by one run after the other alone.
     */
    private final Deque<CompletableFuture<Void>> unsettled = new ArrayDeque<>();

    private volatile int lastJobs;

    Lane(String name, int number) {
      this.number = number;
      task =
          new CoalescingTask(name, environment, this::next, () -> BatchDelay.nanosAfter(lastJobs));
    }

    void wake() {
      task.wake();
    }

    private Uni<Boolean> next() {
      lastJobs = 0;
      List<Share<T>> batch;
      Set<Integer> about = new HashSet<>();
      List<Runnable> released = List.of();
      synchronized (waiting) {
        batch = take();
        batch.forEach(share -> about.add(share.lane()));
        inWork.addAll(about);
        if (waitingBytes <= most() / 2 && waiting.size() <= WAITING * lanes.size() / 2) {
          released = new ArrayList<>(held);
          held.clear();
        }
      }
      released.forEach(Runnable::run);
      if (batch.isEmpty()) {
        return Uni.createFrom().item(false);
      }
      List<T> records = batch.stream().flatMap(share -> share.records().stream()).toList();
      return Background.tried(environment, Uni.createFrom().deferred(() -> work.apply(records)))
          .invoke(worked -> over(about))
          .chain(worked -> settle(batch, worked))
          .replaceWith(false);
    }

    /** What this lane works on next. */
    private List<Share<T>> take() {
      boolean many = areMany();
      if (inWork.contains(number) || !(many || (number == 0 && inWork.isEmpty()))) {
        return List.of();
      }
      List<Share<T>> mine =
          waiting.stream().filter(share -> !many || share.lane() == number).toList();
      List<Share<T>> batch = List.copyOf(Slices.first(mine, Share::bytes, Limits.RECORDS_AT_ONCE));
      batch.forEach(
          share -> {
            waiting.remove(share);
            waitingBytes -= share.bytes();
          });
      return batch;
    }

    private void over(Set<Integer> about) {
      List<Lane> woken;
      synchronized (waiting) {
        inWork.removeAll(about);
        woken = thoseWithWork();
      }
      woken.forEach(Lane::wake);
    }

    private Uni<Void> settle(List<Share<T>> batch, Worked worked) {
      lastJobs = worked.jobs();
      CompletableFuture<Void> settled = new CompletableFuture<>();
      worked
          .settled()
          .subscribe()
          .with(
              done -> {
                batch.forEach(share -> share.acknowledge().run());
                settled.complete(null);
              });
      unsettled.removeIf(CompletableFuture::isDone);
      unsettled.add(settled);
      return unsettled.size() < UNSETTLED
          ? Uni.createFrom().voidItem()
          : Uni.createFrom().completionStage(unsettled.remove());
    }
  }
}
