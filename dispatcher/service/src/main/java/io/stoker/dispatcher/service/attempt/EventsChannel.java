package io.stoker.dispatcher.service.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.runtime.PolledMicroBatcher;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;

/** Consumes the events of agents; acknowledged as requests are. */
@ApplicationScoped
public class EventsChannel {
  static final String CHANNEL = "events";

  private final PolledMicroBatcher batcher;

  EventsChannel(Environment environment, EventIntake intake, KeyWatch keys, Replay replay) {
    batcher =
        new PolledMicroBatcher(
            CHANNEL,
            environment,
            1,
            records -> keys.known().chain(() -> intake.take(records)),
            replay::taken,
            record -> Optional.empty());
  }

  @Incoming(CHANNEL)
  Uni<Void> receive(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return batcher.put(polled);
  }
}
