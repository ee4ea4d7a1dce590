package io.stoker.dispatcher.service.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.access.SentBy;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.runtime.PolledMicroBatcher;
import jakarta.enterprise.context.ApplicationScoped;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;

/**
 * Requests come in here. What was polled is acknowledged after its commit and after the statuses
 * that it caused are on Kafka.
 */
@ApplicationScoped
public class RequestsChannel {
  private final PolledMicroBatcher batcher;

  RequestsChannel(Environment environment, RequestIntake intake, Replay replay, SentBy senders) {
    batcher =
        new PolledMicroBatcher(
            "requests",
            environment,
            RequestIntake.BATCHES,
            intake::take,
            replay::taken,
            senders::of);
  }

  @Incoming("requests")
  Uni<Void> receive(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return batcher.put(polled);
  }
}
