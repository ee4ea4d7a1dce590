package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.MicroBatcher;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import io.stoker.simulation.SimLog.Entry;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a dispatcher's consumers of a topic have polled, for whoever works on it. */
final class SimInbox {
  /** What a record counts, in bytes: two are many, so batches are worked on side by side, too. */
  private static final long AS_LARGE = 40_000;

  private final String topic;
  private final MicroBatcher<Received> batcher;
  private int polls;

  /**
   * @param batches that are worked on side by side
   */
  SimInbox(
      String topic,
      Environment environment,
      int batches,
      Function<List<Received>, Uni<Worked>> work) {
    this.topic = topic;
    batcher =
        new MicroBatcher<>(
            topic, environment, batches, record -> AS_LARGE, Received::partition, work);
  }

  /**
   * Done when all of it is done with; before that none of its partition is polled, so each poll may
   * come as if from a partition of its own.
   */
  Uni<Void> read(List<Entry> polled) {
    List<Received> records = received(topic, polls++, polled);
    return Uni.createFrom()
        .emitter(
            done -> batcher.put(records, () -> done.complete(null)).subscribe().with(room -> {}));
  }

  /** Records of the log as coordinators take them. */
  static List<Received> received(String topic, int partition, List<Entry> polled) {
    return polled.stream()
        .map(one -> new Received(topic, partition, 0, null, Optional.empty(), (byte[]) one.value()))
        .toList();
  }
}
