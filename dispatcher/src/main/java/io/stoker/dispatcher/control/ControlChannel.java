package io.stoker.dispatcher.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.RequestParser;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.deadletter.DeadLetters;
import io.stoker.dispatcher.lease.HostService;
import io.stoker.dispatcher.lease.HostSettings;
import io.stoker.dispatcher.lease.HostTransactions;
import io.stoker.dispatcher.status.StatusPublisher;
import io.stoker.dispatcher.store.DatabaseErrors;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;

/** What people ask for comes in here; each message has its effect once, however often it comes. */
@ApplicationScoped
public class ControlChannel {
  private final ControlTransaction transaction;
  private final HostTransactions hosts;
  private final HostService service;
  private final StatusPublisher statuses;
  private final DeadLetters deadLetters;
  private final Wakes wakes;

  ControlChannel(
      ControlTransaction transaction,
      HostTransactions hosts,
      HostService service,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      Wakes wakes) {
    this.transaction = transaction;
    this.hosts = hosts;
    this.service = service;
    this.statuses = statuses;
    this.deadLetters = deadLetters;
    this.wakes = wakes;
  }

  @Incoming("control")
  Uni<Void> apply(ConsumerRecords<byte[], byte[]> batch) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (ConsumerRecord<byte[], byte[]> record : batch) {
      all = all.chain(() -> apply(record));
    }
    return all;
  }

  private Uni<Void> apply(ConsumerRecord<byte[], byte[]> record) {
    ControlMessage message;
    try {
      message =
          Json.read(record.value() == null ? new byte[0] : record.value(), ControlMessage.class);
    } catch (MalformedJson e) {
      return deadLetters.send(record, "no control message: " + e.getMessage());
    }
    return apply(record, message)
        .onFailure()
        .recoverWithUni(
            error ->
                deadLetters.send(
                    record, "the database refuses it: " + DatabaseErrors.sentence(error)));
  }

  private Uni<Void> apply(ConsumerRecord<byte[], byte[]> record, ControlMessage message) {
    return switch (message) {
      case ControlMessage.Cancel cancel -> cancel(record, cancel);
      case ControlMessage.Cordon cordon -> cordon(record, cordon.host(), true, cordon.reason());
      case ControlMessage.Uncordon uncordon -> cordon(record, uncordon.host(), false, null);
      case ControlMessage.Policy policy ->
          tell(
              record,
              policy.host(),
              settings -> settings.withPolicy(policy.policy(), policy.parameters()));
      case ControlMessage.Devices devices ->
          tell(record, devices.host(), settings -> settings.withDevices(devices.devices()));
    };
  }

  private Uni<Void> cancel(ConsumerRecord<byte[], byte[]> record, ControlMessage.Cancel cancel) {
    if (cancel.request() == null || !RequestParser.ID.matcher(cancel.request()).matches()) {
      return deadLetters.send(
          record, "request: " + cancel.request() + ", expected " + RequestParser.ID_EXPECTED);
    }
    return transaction
        .cancel(cancel.request(), cancel.reason())
        .invoke(wakes::afterEnds)
        .chain(statuses::publishNamed);
  }

  private Uni<Void> tell(
      ConsumerRecord<byte[], byte[]> record, String host, UnaryOperator<HostSettings> change) {
    if (host == null) {
      return deadLetters.send(record, "host: missing");
    }
    return service
        .tell(host, change)
        .chain(
            known ->
                known
                    ? Uni.createFrom().voidItem()
                    : deadLetters.send(record, "host: " + host + " is not known"));
  }

  private Uni<Void> cordon(
      ConsumerRecord<byte[], byte[]> record, String host, boolean keepOff, String reason) {
    if (host == null) {
      return deadLetters.send(record, "host: missing");
    }
    return hosts
        .update(host, row -> row.cordon(keepOff, reason))
        .chain(
            done ->
                done.isPresent()
                    ? Uni.createFrom().voidItem()
                    : deadLetters.send(record, "host: " + host + " is not known"))
        .invoke(wakes::capacityChanged);
  }
}
