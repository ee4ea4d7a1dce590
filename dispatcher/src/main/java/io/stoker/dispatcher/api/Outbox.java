package io.stoker.dispatcher.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.JobRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jboss.logging.Logger;

/** Puts on Kafka what was posted by REST: the topics are the only way in. */
@ApplicationScoped
public class Outbox {
  private static final Logger LOG = Logger.getLogger(Outbox.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Records that may wait for a broker that is away; those behind them are refused. */
  private static final int WAITING = 4096;

  private final MutinyEmitter<byte[]> requests;
  private final MutinyEmitter<byte[]> control;

  Outbox(
      @Channel("posted-requests")
          @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = WAITING)
          MutinyEmitter<byte[]> requests,
      @Channel("posted-control")
          @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = WAITING)
          MutinyEmitter<byte[]> control) {
    this.requests = requests;
    this.control = control;
  }

  /** Done when the broker has all of them; fails with 503 where it does not answer. */
  public Uni<Void> post(List<JobRequest> posted) {
    return answered(
        Uni.join()
            .all(
                posted.stream()
                    .map(request -> send(requests, request.id(), utf8(request.spec())))
                    .toList())
            .andFailFast()
            .replaceWithVoid());
  }

  /**
   * As {@link #post}.
   *
   * @throws ApiException 400 if the message holds what cannot be stored
   */
  public Uni<Void> tell(String key, ControlMessage message) {
    JsonNode tree = Json.tree(message);
    JsonRules.unstorable(tree)
        .ifPresent(
            broken -> {
              throw ApiException.badRequest(broken.path(), broken.value(), broken.expected());
            });
    return answered(send(control, key, Json.bytes(tree)));
  }

  private static Uni<Void> send(MutinyEmitter<byte[]> channel, String key, byte[] value) {
    // Deferred, because a full buffer is told by an exception.
    return Uni.createFrom()
        .deferred(
            () ->
                channel.sendMessage(
                    Message.of(value)
                        .addMetadata(
                            OutgoingKafkaRecordMetadata.<String>builder().withKey(key).build())));
  }

  private static Uni<Void> answered(Uni<Void> sent) {
    return sent.ifNoItem()
        .after(PATIENCE)
        .fail()
        .onFailure()
        .invoke(e -> LOG.warnf("Kafka has not acknowledged what was posted: %s", e))
        .onFailure()
        .transform(
            e ->
                ApiException.unavailable(
                    "Kafka has not acknowledged it; posting the same again is safe"));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
