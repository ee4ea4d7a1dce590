package io.stoker.dispatcher.service.config;

import io.stoker.common.security.Macs;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.host.HostSecret;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Signs what hosts are told, if hosts have keys. */
@ApplicationScoped
public class PlacementsSeal {
  private final Optional<HostSecret> secret;
  private final HostKeyBook book;
  private final Map<String, Key> keys = new ConcurrentHashMap<>();

  private record Key(int generation, byte[] bytes) {}

  PlacementsSeal(StokerConfig config, HostKeyBook book) {
    secret = config.hostSecret().map(HostSecret::configured);
    this.book = book;
  }

  /** A record for a host's placements topic, signed as a whole if hosts have keys. */
  public byte[] seal(String host, byte[] record) {
    return secret.map(own -> Macs.seal(key(own, host), record)).orElse(record);
  }

  private byte[] key(HostSecret secret, String host) {
    int telling = book.telling(host);
    return keys.compute(
            host,
            (name, last) ->
                last != null && last.generation() == telling
                    ? last
                    : new Key(telling, Macs.placementsKey(secret.key(host, telling))))
        .bytes();
  }
}
