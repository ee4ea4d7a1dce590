package io.stoker.dispatcher.service.redis;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.context.ApplicationScoped;

/** Gives Redis the password that is configured apart from its URL. */
@ApplicationScoped
class RedisPassword implements RedisOptionsCustomizer {
  private final StokerConfig config;

  RedisPassword(StokerConfig config) {
    this.config = config;
  }

  @Override
  public void customize(String client, RedisOptions options) {
    config.redis().password().ifPresent(options::setPassword);
  }
}
