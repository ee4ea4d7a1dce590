package io.stoker.dispatcher.lease;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.config.StokerConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.HexFormat;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/** Tells whether a host's message comes from that host. */
@ApplicationScoped
public class HostKeys {
  private final Optional<byte[]> secret;

  @Inject
  HostKeys(StokerConfig config) {
    this(config.hostSecret());
  }

  private HostKeys(Optional<String> hex) {
    secret = hex.map(HexFormat.of()::parseHex);
  }

  /** For what does without the running dispatcher. */
  public static HostKeys of(Config config) {
    return new HostKeys(config.getOptionalValue("stoker.host-secret", String.class));
  }

  /** True without a secret: then the broker's access control is all that protects hosts. */
  public boolean genuine(String host, JsonNode message) {
    return secret.isEmpty() || Macs.verify(Macs.hostKey(secret.get(), host), message);
  }
}
