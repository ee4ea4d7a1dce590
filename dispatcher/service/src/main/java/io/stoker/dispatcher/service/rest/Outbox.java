package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestArray;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.SentBy;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jboss.logging.Logger;

/** Puts on Kafka what was posted by REST: the topics are the only way in. */
@ApplicationScoped
public class Outbox {
  private static final Logger LOG = Logger.getLogger(Outbox.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How long a full buffer is left alone. */
  private static final Duration FULL = Duration.ofMillis(20);

  /** Records that may wait for a broker that is away; those behind them are refused. */
  private static final int WAITING = 4096;

  private final MutinyEmitter<byte[]> requests;
  private final MutinyEmitter<byte[]> control;
  private final SentBy senders;

  Outbox(
      SentBy senders,
      @Channel("posted-requests")
          @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = WAITING)
          MutinyEmitter<byte[]> requests,
      @Channel("posted-control")
          @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = WAITING)
          MutinyEmitter<byte[]> control) {
    this.senders = senders;
    this.requests = requests;
    this.control = control;
  }

  /**
   * Sends as few records as hold them. All of a post have one key, that of its first request, and
   * go to one partition in their order: so they are taken in, and stand in line, as they were
   * posted. Done when the broker has all of them; fails with 503 where it does not answer.
   *
   * @param caller who posts them
   */
  public Uni<Void> post(Caller caller, List<JobRequest> posted) {
    String key = posted.getFirst().id();
    List<byte[]> specs = posted.stream().map(request -> utf8(request.spec())).toList();
    List<byte[]> records =
        RequestArray.pack(specs, RequestArray.MOST).stream()
            .map(RequestArray.Packed::value)
            .toList();
    return answered(send(caller, key, records, new ArrayList<>()));
  }

  /**
   * The next goes once this one has its place in the buffer. A full buffer is told by a failure: it
   * has room again in a moment, or the broker is away.
   *
   * @param sent those that have a place, until the broker has them
   */
  private Uni<Void> send(
      Caller caller, String key, List<byte[]> records, List<CompletableFuture<Void>> sent) {
    while (sent.size() < records.size()) {
      CompletableFuture<Void> next =
          message(requests, caller, key, records.get(sent.size())).subscribeAsCompletionStage();
      if (next.isCompletedExceptionally() && next.exceptionNow() instanceof IllegalStateException) {
        return Uni.createFrom()
            .voidItem()
            .onItem()
            .delayIt()
            .by(FULL)
            .chain(() -> send(caller, key, records, sent));
      }
      sent.add(next);
    }
    return Uni.createFrom()
        .completionStage(() -> CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
  }

  /**
   * As {@link #post}.
   *
   * @throws ApiException 400, if the message holds what cannot be stored
   */
  public Uni<Void> tell(Caller caller, String key, ControlMessage message) {
    JsonNode tree = Json.tree(message);
    Bodies.requireStorable(tree, "message");
    return answered(send(control, caller, key, Json.bytes(tree)));
  }

  private Uni<Void> send(MutinyEmitter<byte[]> channel, Caller caller, String key, byte[] value) {
    return message(channel, caller, key, value)
        .onFailure(IllegalStateException.class)
        .retry()
        .withBackOff(FULL, Duration.ofMillis(500))
        .expireIn(PATIENCE.toMillis());
  }

  private Uni<Void> message(
      MutinyEmitter<byte[]> channel, Caller caller, String key, byte[] value) {
    // Deferred, because a full buffer may be told by an exception.
    return Uni.createFrom()
        .deferred(
            () ->
                channel.sendMessage(
                    Message.of(value)
                        .addMetadata(
                            OutgoingKafkaRecordMetadata.<String>builder()
                                .withKey(key)
                                .withHeaders(senders.headers(caller, value))
                                .build())));
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
