package io.stoker.dispatcher.status;

import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/** Puts statuses on the topic, as CloudEvents 1.0 in binary mode, keyed by request id. */
@ApplicationScoped
public class StatusTransport {
  private final MutinyEmitter<byte[]> emitter;

  StatusTransport(
      @Channel("status") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
          MutinyEmitter<byte[]> emitter) {
    this.emitter = emitter;
  }

  /** Done when the broker has all of them. */
  public Uni<Void> send(List<RequestStatus> statuses) {
    if (statuses.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return Uni.join()
        .all(statuses.stream().map(this::send).toList())
        .andFailFast()
        .replaceWithVoid();
  }

  private Uni<Void> send(RequestStatus status) {
    var metadata =
        OutgoingKafkaRecordMetadata.builder()
            .withKey(status.id())
            .withHeaders(headers(status))
            .build();
    return emitter.sendMessage(Message.of(Json.bytes(status)).addMetadata(metadata));
  }

  private static Headers headers(RequestStatus status) {
    return new RecordHeaders()
        .add("ce_specversion", utf8("1.0"))
        .add("ce_id", utf8(status.id() + "/" + status.version()))
        .add("ce_source", utf8("/stoker"))
        .add(
            "ce_type",
            utf8("io.stoker.request." + status.state().name().toLowerCase(java.util.Locale.ROOT)))
        .add("ce_subject", utf8(status.id()))
        .add("ce_time", utf8(status.at()))
        .add("content-type", utf8("application/json"));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
