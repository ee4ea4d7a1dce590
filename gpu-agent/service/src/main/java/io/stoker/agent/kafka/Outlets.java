package io.stoker.agent.kafka;

import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.config.KafkaSettings.TopicNames;
import io.stoker.agent.report.Outlet;
import io.stoker.agent.report.Timer;
import io.stoker.agent.report.Unacknowledged;
import io.stoker.common.text.PlainText;
import io.stoker.common.topic.Topics;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Metadata;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.eclipse.microprofile.reactive.messaging.OnOverflow.Strategy;

/**
 * The topics that an agent writes to, as SmallRye channels. What may be under way is bounded by
 * those who send, so the emitters' own buffers are not.
 */
@ApplicationScoped
public class Outlets {
  private static final String EVENTS = "events";
  private static final int MOST_OF_A_DEAD_LETTER = 64 * 1024;
  private static final int MOST_OF_ITS_KEY = 1024;

  private final KeyPartitions partitions;
  private final Channelled events;
  private final Channelled logs;
  private final Channelled heartbeats;
  private final Channelled deadLetters;

  /** A channel, and what is on its way in it: each has a producer of its own. */
  private record Channelled(String name, Emitter<byte[]> emitter, Unacknowledged unacknowledged) {
    private Channelled(String name, Emitter<byte[]> emitter) {
      this(name, emitter, new Unacknowledged(Timer.SYSTEM));
    }
  }

  public Outlets(
      KafkaClientService clients,
      TopicNames names,
      @Channel(EVENTS) @OnOverflow(Strategy.UNBOUNDED_BUFFER) Emitter<byte[]> events,
      @Channel("logs") @OnOverflow(Strategy.UNBOUNDED_BUFFER) Emitter<byte[]> logs,
      @Channel("heartbeats") @OnOverflow(Strategy.UNBOUNDED_BUFFER) Emitter<byte[]> heartbeats,
      @Channel("dead-letters") @OnOverflow(Strategy.UNBOUNDED_BUFFER) Emitter<byte[]> deadLetters) {
    String topic = new Topics(names.prefix()).events();
    this.partitions = new KeyPartitions(() -> partitions(clients, topic), Timer.SYSTEM::nowMs);
    this.events = new Channelled(EVENTS, events);
    this.logs = new Channelled("logs", logs);
    this.heartbeats = new Channelled("heartbeats", heartbeats);
    this.deadLetters = new Channelled("dead-letters", deadLetters);
  }

  private static Uni<Integer> partitions(KafkaClientService clients, String topic) {
    return clients.getProducer(EVENTS).partitionsFor(topic).map(List::size);
  }

  public Outlet events() {
    return new Outlet() {
      @Override
      public CompletionStage<Void> send(String key, byte[] value) {
        return Outlets.send(events, key, value, new RecordHeaders());
      }

      @Override
      public int partition(String key) {
        return partitions.of(key);
      }
    };
  }

  public Outlet logs() {
    return (key, value) -> send(logs, key, value, new RecordHeaders());
  }

  public Outlet heartbeats() {
    return (key, value) -> send(heartbeats, key, value, new RecordHeaders());
  }

  /**
   * A record as received, cut to 64 KiB, and its key to 1 KiB; why and whence in its headers. One
   * that does not fit into a record would be heard of by nobody.
   */
  public void deadLetter(ReceivedRecord raw, String reason) {
    RecordHeaders headers = new RecordHeaders();
    add(headers, "stoker-reason", PlainText.sentence(reason));
    add(headers, "stoker-topic", raw.topic());
    add(headers, "stoker-partition", Integer.toString(raw.partition()));
    add(headers, "stoker-offset", Long.toString(raw.offset()));
    byte[] value = raw.value() == null ? new byte[0] : raw.value();
    send(
        deadLetters,
        key(raw),
        Arrays.copyOf(value, Math.min(value.length, MOST_OF_A_DEAD_LETTER)),
        headers);
  }

  private static String key(ReceivedRecord raw) {
    byte[] key = raw.key();
    return key == null
        ? null
        : new String(key, 0, Math.min(key.length, MOST_OF_ITS_KEY), StandardCharsets.UTF_8);
  }

  private static void add(Headers headers, String name, String value) {
    headers.add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Sentences about channels of which nothing has arrived for so long, though something waits. */
  List<String> stuck(Duration forLong) {
    return Stream.of(events, logs, heartbeats, deadLetters)
        .filter(channel -> channel.unacknowledged().stuckMs() > forLong.toMillis())
        .map(
            channel ->
                "no broker has acknowledged any of its %s for %d s"
                    .formatted(channel.name(), channel.unacknowledged().stuckMs() / 1_000))
        .toList();
  }

  private static CompletionStage<Void> send(
      Channelled channel, String key, byte[] value, Headers headers) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    channel.unacknowledged().sent();
    done.whenComplete((sent, failure) -> channel.unacknowledged().over());
    OutgoingKafkaRecordMetadata<String> record =
        OutgoingKafkaRecordMetadata.<String>builder().withKey(key).withHeaders(headers).build();
    channel
        .emitter()
        .send(
            Message.of(
                value,
                Metadata.of(record),
                () -> {
                  done.complete(null);
                  return CompletableFuture.completedFuture(null);
                },
                failure -> {
                  done.completeExceptionally(
                      failure instanceof RecordTooLargeException
                          ? new Outlet.TooLarge(failure.getMessage())
                          : failure);
                  return CompletableFuture.completedFuture(null);
                }));
    return done;
  }
}
