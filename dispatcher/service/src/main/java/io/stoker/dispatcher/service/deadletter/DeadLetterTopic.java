package io.stoker.dispatcher.service.deadletter;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.text.PlainText;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jboss.logging.Logger;

/**
 * The dead letters' topic. Of each its first 64 KiB are kept, the first 1 KiB of its key, and the
 * beginning of the reason: one that does not fit into a record would be tried for ever.
 */
@ApplicationScoped
public class DeadLetterTopic implements DeadLetters {
  private static final Logger LOG = Logger.getLogger(DeadLetterTopic.class);
  private static final int KEPT = 64 * 1024;
  private static final int KEPT_OF_KEY = 1024;

  private final MutinyEmitter<byte[]> emitter;
  private final MeterRegistry meters;

  DeadLetterTopic(
      @Channel("dead-letters") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
          MutinyEmitter<byte[]> emitter,
      MeterRegistry meters) {
    this.emitter = emitter;
    this.meters = meters;
  }

  @Override
  public Uni<Void> send(Received record, OptionalInt index, byte[] value, String why) {
    String reason = PlainText.sentence(why);
    LOG.warnf(
        "dead letter: %s-%d@%d: %s", record.topic(), record.partition(), record.offset(), reason);
    meters.counter("stoker.dead.letters", "topic", record.topic()).increment();
    Headers headers =
        new RecordHeaders()
            .add("stoker-reason", utf8(reason))
            .add("stoker-topic", utf8(record.topic()))
            .add("stoker-partition", utf8(String.valueOf(record.partition())))
            .add("stoker-offset", utf8(String.valueOf(record.offset())));
    index.ifPresent(at -> headers.add("stoker-index", utf8(String.valueOf(at))));
    var metadata =
        OutgoingKafkaRecordMetadata.builder().withKey(key(record)).withHeaders(headers).build();
    byte[] kept = value == null ? new byte[0] : Arrays.copyOf(value, Math.min(value.length, KEPT));
    return Uni.createFrom()
        .deferred(() -> emitter.sendMessage(Message.of(kept).addMetadata(metadata)))
        .onFailure()
        .retry()
        .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(5))
        .indefinitely();
  }

  private static String key(Received record) {
    byte[] key = record.key();
    return key == null
        ? null
        : new String(key, 0, Math.min(key.length, KEPT_OF_KEY), StandardCharsets.UTF_8);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
