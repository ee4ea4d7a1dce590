package io.stoker.dispatcher.service.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.MicroBatcher;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.header.Header;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.jboss.logging.Logger;

/** The batcher of a channel: what its consumers have polled, acknowledged once done with. */
public final class PolledMicroBatcher {
  private static final Logger LOG = Logger.getLogger(PolledMicroBatcher.class);

  /** Where a record that is a CloudEvent carries its id. */
  private static final String EVENT_ID = "ce_id";

  private final MicroBatcher<ConsumerRecord<byte[], byte[]>> batcher;

  /**
   * @param batches that are worked on side by side, each of partitions of its own
   * @param work on records, those of a partition in their order; tried again where it fails
   * @param worked told of records after the work on them
   * @param sentBy who has sent a record, where a dispatcher vouches for that
   */
  public PolledMicroBatcher(
      String name,
      Environment environment,
      int batches,
      Function<List<Received>, Uni<Worked>> work,
      Consumer<List<ConsumerRecord<byte[], byte[]>>> worked,
      Function<ConsumerRecord<byte[], byte[]>, Optional<String>> sentBy) {
    batcher =
        new MicroBatcher<>(
            name,
            environment,
            batches,
            ConsumerRecord::serializedValueSize,
            ConsumerRecord::partition,
            some -> work.apply(received(some, sentBy)).invoke(() -> worked.accept(some)));
  }

  /** Records as coordinators take them, in their order, with who has sent them. */
  public static List<Received> received(
      Iterable<ConsumerRecord<byte[], byte[]>> polled,
      Function<ConsumerRecord<byte[], byte[]>, Optional<String>> sentBy) {
    List<Received> records = new ArrayList<>();
    polled.forEach(record -> records.add(received(record, sentBy.apply(record))));
    return records;
  }

  /** A record as coordinators take it. */
  public static Received received(ConsumerRecord<byte[], byte[]> record) {
    return received(record, Optional.empty());
  }

  private static Received received(ConsumerRecord<byte[], byte[]> record, Optional<String> sentBy) {
    Header id = record.headers().lastHeader(EVENT_ID);
    return new Received(
        record.topic(),
        record.partition(),
        record.offset(),
        record.key(),
        id == null || id.value() == null
            ? Optional.empty()
            : Optional.of(new String(id.value(), StandardCharsets.UTF_8)),
        sentBy,
        record.value());
  }

  /** Takes what was polled; done when there is room for more. */
  public Uni<Void> put(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return batcher.put(polled.getPayload(), () -> acknowledge(polled));
  }

  private static void acknowledge(Message<?> message) {
    message
        .ack()
        .whenComplete(
            (done, error) -> {
              if (error != null) {
                LOG.warnf(
                    "a message is not acknowledged and will come again: %s", error.getMessage());
              }
            });
  }
}
