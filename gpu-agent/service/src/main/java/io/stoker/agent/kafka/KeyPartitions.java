package io.stoker.agent.kafka;

import io.smallrye.mutiny.Uni;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/**
 * The partitions of a topic that keys go to. How many there are is asked for beside the work, now
 * and then: until it is known each key counts as a partition of its own.
 */
final class KeyPartitions {
  private static final long ASK_AGAIN_MS = TimeUnit.MINUTES.toMillis(5);

  private final Supplier<Uni<Integer>> count;
  private final LongSupplier clockMs;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile int partitions;
  private volatile long askAt = Long.MIN_VALUE;

  /**
   * @param count asks how many partitions the topic has
   * @param clockMs any clock that only rises
   */
  KeyPartitions(Supplier<Uni<Integer>> count, LongSupplier clockMs) {
    this.count = count;
    this.clockMs = clockMs;
  }

  /**
   * The partition that Kafka's own partitioner gives a key; the same number for one key at least.
   */
  int of(String key) {
    long now = clockMs.getAsLong();
    if (now >= askAt && asking.compareAndSet(false, true)) {
      ask(now);
    }
    int known = partitions;
    return known == 0
        ? key.hashCode()
        : BuiltInPartitioner.partitionForKey(key.getBytes(StandardCharsets.UTF_8), known);
  }

  private void ask(long now) {
    Uni.createFrom()
        .deferred(count::get)
        .subscribe()
        .with(
            found -> {
              partitions = found;
              askAt = now + ASK_AGAIN_MS;
              asking.set(false);
            },
            failure -> asking.set(false)); // the next key asks again
  }
}
