package io.stoker.dispatcher.lease;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.config.StokerConfig;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HexFormat;
import java.util.Optional;

/** Tells whether a host's message comes from that host. */
@ApplicationScoped
public class HostKeys {
  private final Optional<byte[]> secret;

  HostKeys(StokerConfig config) {
    secret = config.hostSecret().map(hex -> HexFormat.of().parseHex(hex));
  }

  /** True without a secret: then the broker's access control is all that protects hosts. */
  public boolean genuine(String host, JsonNode message) {
    return secret.isEmpty() || Macs.verify(Macs.hostKey(secret.get(), host), message);
  }
}
