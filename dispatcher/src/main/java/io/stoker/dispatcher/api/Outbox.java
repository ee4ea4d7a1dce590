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

  /** Records of one post that are on their way at once. */
  private static final int AT_ONCE = 256;

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

  /**
   * Sends some at a time: so many posts have room side by side, and none is refused for its own
   * length. Done when the broker has all of them; fails with 503 where it does not answer.
   */
  public Uni<Void> post(List<JobRequest> posted) {
    Uni<Void> sent = Uni.createFrom().voidItem();
    for (int from = 0; from < posted.size(); from += AT_ONCE) {
      List<JobRequest> some = posted.subList(from, Math.min(from + AT_ONCE, posted.size()));
      sent = sent.chain(() -> answered(send(some)));
    }
    return sent;
  }

  private Uni<Void> send(List<JobRequest> some) {
    return Uni.join()
        .all(
            some.stream()
                .map(request -> send(requests, request.id(), utf8(request.spec())))
                .toList())
        .andFailFast()
        .replaceWithVoid();
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
    // Deferred, because a full buffer is told by an exception: it has room again in a moment, or
    // the broker is away.
    return Uni.createFrom()
        .deferred(
            () ->
                channel.sendMessage(
                    Message.of(value)
                        .addMetadata(
                            OutgoingKafkaRecordMetadata.<String>builder().withKey(key).build())))
        .onFailure(IllegalStateException.class)
        .retry()
        .withBackOff(Duration.ofMillis(20), Duration.ofMillis(500))
        .expireIn(PATIENCE.toMillis());
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
