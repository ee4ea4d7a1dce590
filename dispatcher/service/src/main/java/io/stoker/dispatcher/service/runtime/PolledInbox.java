package io.stoker.dispatcher.service.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Inbox;
import io.stoker.dispatcher.runtime.Inbox.Worked;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.jboss.logging.Logger;

/** The {@link Inbox} of a channel: what its consumers have polled, acknowledged once done with. */
public final class PolledInbox {
  private static final Logger LOG = Logger.getLogger(PolledInbox.class);

  private final Inbox<ConsumerRecords<byte[], byte[]>> inbox;

  /**
   * @param work on the polls in their order; tried again where it fails
   */
  public PolledInbox(
      String name,
      Environment environment,
      Function<List<ConsumerRecords<byte[], byte[]>>, Uni<Worked>> work) {
    inbox = new Inbox<>(name, environment, PolledInbox::bytes, work);
  }

  /** Takes what was polled; done when there is room for more. */
  public Uni<Void> put(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return inbox.put(polled.getPayload(), () -> acknowledge(polled));
  }

  private static long bytes(ConsumerRecords<byte[], byte[]> polled) {
    long sum = 0;
    for (ConsumerRecord<byte[], byte[]> record : polled) {
      sum += Math.max(0, record.serializedValueSize());
    }
    return sum;
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
