package io.stoker.dispatcher.service.status;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.smallrye.mutiny.vertx.MutinyHelper;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaProducer;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.status.StatusSink;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.StokerConfig.StatusTopics;
import io.stoker.dispatcher.status.StatusRecord;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/**
 * Puts statuses on the topic, as CloudEvents 1.0 in binary mode, keyed by request id; where queues
 * have topics of their own, on its queue's, too.
 *
 * <p>A batch goes to the channel's producer in one piece. As messages through the emitter each
 * status would be a stream's item with a subscription of its own, which costs several times what
 * the Kafka client does with it.
 */
@ApplicationScoped
public class StatusTransport implements StatusSink {
  private static final String CHANNEL = "status";
  private static final String ID = "ce_id";
  private static final char VERSION = '/';
  private static final byte[] SPEC_VERSION = utf8("1.0");
  private static final byte[] SOURCE = utf8("/stoker");
  private static final byte[] JSON = utf8("application/json");
  private static final Map<RequestState, byte[]> TYPES = types();

  private final KafkaClientService clients;
  private final Vertx vertx;
  private final Topics topics;
  private final QueuesTopics own;
  private final boolean perQueue;

  /**
   * @param channel is not used: the connector makes a producer for channels that somebody may send
   *     to
   */
  StatusTransport(
      @Channel(CHANNEL) @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
          MutinyEmitter<byte[]> channel,
      KafkaClientService clients,
      Vertx vertx,
      Topics topics,
      QueuesTopics own,
      StokerConfig config) {
    this.clients = clients;
    this.vertx = vertx;
    this.topics = topics;
    this.own = own;
    perQueue = config.status().topics() == StatusTopics.PER_QUEUE;
  }

  @Override
  public Uni<Void> send(List<StatusRecord> statuses) {
    return put(statuses, one -> one.status().queue(), StatusTransport::record);
  }

  @Override
  public Uni<Void> sendTombstones(List<Tombstone> tombstones) {
    return put(
        tombstones,
        Tombstone::queue,
        (topic, one) -> new ProducerRecord<>(topic, one.request(), null));
  }

  /**
   * First on the topic of all, which a restored database is told by what was published: a queue's
   * own topic has nothing that is not there. What that does not take for want of a right is on the
   * topic of all only.
   */
  private <T> Uni<Void> put(
      List<T> some,
      Function<T, String> queue,
      BiFunction<String, T, ProducerRecord<String, byte[]>> record) {
    Uni<Void> all = put(some.stream().map(one -> record.apply(topics.status(), one)).toList());
    if (!perQueue) {
      return all;
    }
    List<T> named = some.stream().filter(one -> queue.apply(one) != null).toList();
    Set<String> queues = named.stream().map(queue).collect(Collectors.toCollection(TreeSet::new));
    return all.chain(() -> InOrder.each(List.copyOf(queues), name -> keepIfReady(queues, name)))
        .chain(
            () ->
                put(
                    named.stream()
                        .filter(one -> queues.contains(queue.apply(one)))
                        .map(one -> record.apply(topics.status(queue.apply(one)), one))
                        .toList()));
  }

  private Uni<Void> keepIfReady(Set<String> queues, String queue) {
    return own.ready(queue)
        .invoke(
            ready -> {
              if (!ready) {
                queues.remove(queue);
              }
            })
        .replaceWithVoid();
  }

  private Uni<Void> put(List<ProducerRecord<String, byte[]>> records) {
    if (records.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    KafkaProducer<String, byte[]> producer = clients.getProducer(CHANNEL);
    return Uni.createFrom()
        .<Void>emitter(
            sent ->
                producer
                    .runOnSendingThread(
                        (Producer<String, byte[]> client) -> put(client, records, sent))
                    .subscribe()
                    .with(handedOver -> {}, sent::fail))
        // The client calls back on its one network thread, which has better things to do.
        .emitOn(MutinyHelper.executor(vertx.getOrCreateContext()));
  }

  private void put(
      Producer<String, byte[]> client,
      List<ProducerRecord<String, byte[]>> records,
      UniEmitter<? super Void> sent) {
    AtomicInteger missing = new AtomicInteger(records.size());
    for (ProducerRecord<String, byte[]> record : records) {
      client.send(
          record,
          (metadata, error) -> {
            if (error == null) {
              own.written(record.topic());
            }
            if (error != null && !isDenied(record.topic(), error)) {
              sent.fail(error);
            } else if (missing.decrementAndGet() == 0) {
              sent.complete(null);
            }
          });
    }
  }

  /** Whether a queue's own topic does not take a record, which nothing else waits for. */
  private boolean isDenied(String topic, Exception error) {
    boolean denied = error instanceof TopicAuthorizationException;
    if (denied) {
      own.denied(topic, error);
    }
    return denied && !topic.equals(topics.status());
  }

  private static ProducerRecord<String, byte[]> record(String topic, StatusRecord record) {
    RequestStatus status = record.status();
    return new ProducerRecord<>(topic, null, status.id(), record.json(), headers(status));
  }

  private static Headers headers(RequestStatus status) {
    return new RecordHeaders()
        .add("ce_specversion", SPEC_VERSION)
        .add("ce_source", SOURCE)
        .add("ce_type", TYPES.get(status.state()))
        .add("ce_subject", utf8(status.id()))
        .add("ce_time", utf8(status.at()))
        .add("content-type", JSON)
        // The last one is found without decoding the names of the others, see version().
        .add(ID, utf8(status.id() + VERSION + status.version()));
  }

  /** The version that a record's headers tell; -1 if they tell none, as those of others. */
  static long version(Headers headers) {
    Header header = headers.lastHeader(ID);
    if (header == null || header.value() == null) {
      return -1;
    }
    String id = new String(header.value(), StandardCharsets.UTF_8);
    try {
      return Long.parseLong(id, id.lastIndexOf(VERSION) + 1, id.length(), 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static Map<RequestState, byte[]> types() {
    Map<RequestState, byte[]> types = new EnumMap<>(RequestState.class);
    for (RequestState state : RequestState.values()) {
      types.put(state, utf8(state.eventType()));
    }
    return types;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
