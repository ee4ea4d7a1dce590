package io.stoker.dispatcher.service.control;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.control.ControlIntake;
import io.stoker.dispatcher.service.access.SentBy;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.runtime.PolledMicroBatcher;
import jakarta.enterprise.context.ApplicationScoped;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;

/** Consumes the control topic. */
@ApplicationScoped
public class ControlChannel {
  private final ControlIntake intake;
  private final Replay replay;
  private final SentBy senders;

  ControlChannel(ControlIntake intake, Replay replay, SentBy senders) {
    this.senders = senders;
    this.intake = intake;
    this.replay = replay;
  }

  @Incoming("control")
  Uni<Void> apply(ConsumerRecords<byte[], byte[]> polled) {
    return replay
        .othersRead()
        .chain(() -> intake.take(PolledMicroBatcher.received(polled, senders::of)))
        .invoke(() -> replay.taken(polled));
  }
}
