package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Inbox;
import io.stoker.dispatcher.runtime.Inbox.Worked;
import io.stoker.simulation.SimLog.Entry;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a dispatcher's consumers of a topic have polled, for whoever works on it. */
final class SimInbox {
  private final String topic;
  private final Inbox<List<Received>> inbox;

  SimInbox(String topic, Environment environment, Function<List<Received>, Uni<Worked>> work) {
    this.topic = topic;
    inbox =
        new Inbox<>(
            topic,
            environment,
            SimInbox::bytes,
            polls -> work.apply(polls.stream().flatMap(List::stream).toList()));
  }

  private static long bytes(List<Received> polled) {
    return polled.stream().mapToLong(record -> record.value().length).sum();
  }

  /** Done when all of it is done with. */
  Uni<Void> read(List<Entry> polled) {
    List<Received> records = received(topic, polled);
    return Uni.createFrom()
        .emitter(
            done -> inbox.put(records, () -> done.complete(null)).subscribe().with(room -> {}));
  }

  /** Records of the log as coordinators take them. */
  static List<Received> received(String topic, List<Entry> polled) {
    return polled.stream()
        .map(one -> new Received(topic, 0, 0, null, Optional.empty(), (byte[]) one.value()))
        .toList();
  }
}
