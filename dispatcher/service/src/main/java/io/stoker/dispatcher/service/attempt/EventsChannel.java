package io.stoker.dispatcher.service.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.runtime.PolledInbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;

/** What agents report comes in here; acknowledged as requests are. */
@ApplicationScoped
public class EventsChannel {
  static final String CHANNEL = "events";

  private final PolledInbox inbox;

  EventsChannel(Environment environment, EventIntake intake, KeyWatch keys, Replay replay) {
    inbox =
        new PolledInbox(
            CHANNEL,
            environment,
            1,
            records -> keys.known().chain(() -> intake.take(records)),
            replay::taken,
            record -> Optional.empty());
  }

  @Incoming(CHANNEL)
  Uni<Void> receive(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return inbox.put(polled);
  }
}
