package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Batchers side by side, among which a topic's partitions are shared out. Records of one partition
 * are worked on in their order; while one batch waits for the database, another one is read and
 * decided, as by a replica of its own.
 *
 * @param <T> a record
 */
public final class PartitionedMicroBatcher<T> {
  /** Records that are worked on at once, at most: larger batches cost memory, and no less time. */
  private static final int MOST = 500;

  private final List<MicroBatcher<List<T>>> batchers;
  private final ToIntFunction<T> partition;

  /**
   * @param count of batchers
   * @param bytes of a record: of large ones fewer are worked on at once
   * @param partition of a record
   * @param work on records, those of a partition in their order; tried again where it fails
   */
  public PartitionedMicroBatcher(
      String name,
      Environment environment,
      int count,
      ToLongFunction<T> bytes,
      ToIntFunction<T> partition,
      Function<List<T>, Uni<Worked>> work) {
    this.partition = partition;
    ToLongFunction<List<T>> sum =
        some ->
            some.stream()
                .mapToLong(one -> Math.max(bytes.applyAsLong(one), Limits.RECORDS_AT_ONCE / MOST))
                .sum();
    batchers =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    new MicroBatcher<List<T>>(
                        name,
                        environment,
                        sum,
                        polls -> work.apply(polls.stream().flatMap(List::stream).toList())))
            .toList();
  }

  /**
   * Takes what was polled.
   *
   * @param acknowledge done when all of it is done with
   * @return done when there is room for more
   */
  public Uni<Void> put(Iterable<T> polled, Runnable acknowledge) {
    Map<Integer, List<T>> shares = new TreeMap<>();
    for (T record : polled) {
      int batcher = partition.applyAsInt(record) % batchers.size();
      shares.computeIfAbsent(batcher, i -> new ArrayList<>()).add(record);
    }
    AtomicInteger missing = new AtomicInteger(shares.size());
    Runnable done =
        () -> {
          if (missing.decrementAndGet() == 0) {
            acknowledge.run();
          }
        };
    List<Uni<Void>> room = new ArrayList<>();
    shares.forEach((batcher, share) -> room.add(batchers.get(batcher).put(share, done)));
    return InOrder.together(room);
  }
}
