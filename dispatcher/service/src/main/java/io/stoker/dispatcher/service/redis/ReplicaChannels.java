package io.stoker.dispatcher.service.redis;

import io.stoker.common.topic.Topics;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Redis;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.function.Consumer;

/** Opens the channels by which the replicas of this deployment tell each other hints. */
@ApplicationScoped
public class ReplicaChannels {
  private final FastMemory memory;
  private final Redis redis;
  private final Vertx vertx;
  private final Topics topics;

  ReplicaChannels(FastMemory memory, Redis redis, Vertx vertx, Topics topics) {
    this.memory = memory;
    this.redis = redis;
    this.vertx = vertx;
    this.topics = topics;
  }

  /**
   * One of them.
   *
   * @param name without the deployment's prefix
   * @param reader is given all that is told, what this replica tells too
   */
  ReplicaPubSub open(String name, Consumer<String> reader) {
    return new ReplicaPubSub(memory, redis, vertx, topics.prefix() + name, reader);
  }
}
