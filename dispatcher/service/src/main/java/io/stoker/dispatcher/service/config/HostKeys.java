package io.stoker.dispatcher.service.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.security.Macs;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.microprofile.config.Config;

/**
 * Tells whether a host's message comes from that host, and remembers for a while of whom it did
 * not: nobody else hears of an agent that is ignored.
 */
@ApplicationScoped
public class HostKeys {
  /** A host says something each few seconds. */
  private static final Duration REMEMBERED = Duration.ofSeconds(30);

  private static final int MOST = 256;

  private final Optional<byte[]> secret;
  private final Map<String, Stranger> strangers = new HashMap<>();

  /**
   * Somebody who is not believed to be the host that it says it is.
   *
   * @param signed whether it signs at all
   * @param heard when it last said something, by {@link System#nanoTime}
   */
  private record Stranger(boolean signed, long heard) {
    boolean isLater(long nanos) {
      return nanos - heard < REMEMBERED.toNanos();
    }
  }

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
    boolean genuine = secret.isEmpty() || Macs.verify(Macs.hostKey(secret.get(), host), message);
    if (!genuine) {
      doubt(host, message.hasNonNull("mac"), System.nanoTime());
    }
    return genuine;
  }

  /** Whether hosts have keys at all. */
  public boolean required() {
    return secret.isPresent();
  }

  /** Whether a record is signed as a whole with the key of its host. */
  public boolean sealed(String host, byte[] record) {
    return secret.isPresent() && Macs.sealed(Macs.hostKey(secret.get(), host), record);
  }

  /** A record for a host's placements topic, signed as a whole if hosts have keys. */
  public byte[] seal(String host, byte[] record) {
    return secret
        .map(own -> Macs.seal(Macs.placementsKey(Macs.hostKey(own, host)), record))
        .orElse(record);
  }

  private synchronized void doubt(String host, boolean signed, long now) {
    strangers.values().removeIf(one -> !one.isLater(now));
    if (strangers.size() < MOST || strangers.containsKey(host)) {
      strangers.put(host, new Stranger(signed, now));
    }
  }

  /** Why messages in the name of these hosts were ignored of late, by name. */
  public synchronized SortedMap<String, String> ignored() {
    long now = System.nanoTime();
    SortedMap<String, String> why = new TreeMap<>();
    strangers.forEach(
        (host, one) -> {
          if (one.isLater(now)) {
            why.put(
                host,
                one.signed()
                    ? "its agent's messages are ignored: its stoker.agent.key is of another"
                        + " host or secret"
                    : "its agent's messages are ignored, since they are not signed: it has no"
                        + " stoker.agent.key");
          }
        });
    return why;
  }
}
