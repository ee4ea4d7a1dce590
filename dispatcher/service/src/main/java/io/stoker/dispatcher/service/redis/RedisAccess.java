package io.stoker.dispatcher.service.redis;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.stoker.dispatcher.service.config.PemFiles;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.config.Config;

/**
 * Gives Redis the password that is configured apart from its URL; where that asks for TLS, believes
 * a server by its certificate and name alone.
 */
@ApplicationScoped
class RedisAccess implements RedisOptionsCustomizer {
  private static final String KEY = "stoker.redis.tls";
  private static final String WITH_TLS = "rediss://";

  private final StokerConfig.Redis redis;
  private final PemFiles files;

  RedisAccess(StokerConfig config, Config all) {
    redis = config.redis();
    files = PemFiles.of(all, KEY);
    if (!files.none() && !redis.url().startsWith(WITH_TLS)) {
      // Not with the URL, in which the password may be.
      throw new IllegalArgumentException(
          "%s.ca or %s.cert is set, and stoker.redis.url is without TLS: expected %shost:port"
              .formatted(KEY, KEY, WITH_TLS));
    }
  }

  @Override
  public void customize(String client, RedisOptions options) {
    redis.password().ifPresent(options::setPassword);
    if (redis.url().startsWith(WITH_TLS)) {
      NetClientOptions net = options.getNetClientOptions();
      net.setSsl(true);
      if (!net.isTrustAll()) { // which Quarkus' own key says
        net.setHostnameVerificationAlgorithm("HTTPS");
      }
      files.give(net);
    }
  }
}
