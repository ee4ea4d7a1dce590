package io.stoker.dispatcher.service.host;

import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.agent.AgentChannel;
import io.stoker.dispatcher.host.AgentRecords.Written;
import io.stoker.dispatcher.service.config.OwnTopics;
import io.stoker.dispatcher.service.config.PlacementsSeal;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/** Puts records on hosts' topics, signed where hosts have keys. */
@ApplicationScoped
public class AgentMessages implements AgentChannel {
  private final MutinyEmitter<byte[]> emitter;
  private final Topics topics;
  private final OwnTopics made;
  private final PlacementsSeal seal;

  AgentMessages(
      @Channel("placements") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
          MutinyEmitter<byte[]> emitter,
      Topics topics,
      OwnTopics made,
      PlacementsSeal seal) {
    this.emitter = emitter;
    this.topics = topics;
    this.made = made;
    this.seal = seal;
  }

  @Override
  public Uni<Void> open(String host) {
    return made.ensure(topics.placementsLayout(host));
  }

  @Override
  public Uni<Void> send(String host, Written record) {
    var metadata =
        OutgoingKafkaRecordMetadata.builder()
            .withTopic(topics.placements(host))
            .withKey(host)
            .build();
    return emitter.sendMessage(Message.of(seal.seal(host, record.json())).addMetadata(metadata));
  }
}
