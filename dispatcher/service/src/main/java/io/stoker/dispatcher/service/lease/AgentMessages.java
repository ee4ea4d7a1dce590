package io.stoker.dispatcher.service.lease;

import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.SendLimits;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.lease.AgentRecords;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/** Puts messages on hosts' topics. */
@ApplicationScoped
public class AgentMessages {
  private final AgentRecords records = new AgentRecords(SendLimits.REAL);
  private final MutinyEmitter<byte[]> emitter;
  private final Topics topics;

  AgentMessages(
      @Channel("placements") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
          MutinyEmitter<byte[]> emitter,
      Topics topics) {
    this.emitter = emitter;
    this.topics = topics;
  }

  /** What is for one host, in one of its epochs. */
  public record Addressed(String host, long epoch, List<ToAgent> messages) {}

  /** Done when the broker has all of them. */
  public Uni<Void> send(List<Addressed> addressed) {
    List<Uni<Void>> sends = new ArrayList<>();
    for (Addressed one : addressed) {
      records
          .of(one.host(), one.epoch(), one.messages())
          .forEach(record -> sends.add(send(one.host(), record.json())));
    }
    return sends.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(sends).andFailFast().replaceWithVoid();
  }

  private Uni<Void> send(String host, byte[] record) {
    var metadata =
        OutgoingKafkaRecordMetadata.builder()
            .withTopic(topics.placements(host))
            .withKey(host)
            .build();
    return emitter.sendMessage(Message.of(record).addMetadata(metadata));
  }
}
