package io.stoker.dispatcher.service.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.LeaseBook;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.Config;

/**
 * Tells whether a host's message comes from that host, signs what hosts are told, and remembers for
 * a while whose messages were refused: nobody else hears of an agent that is ignored.
 */
@ApplicationScoped
public class HostKeys {
  /** A host says something each few seconds. */
  private static final Duration REMEMBERED = Duration.ofSeconds(30);

  private static final int MOST = 256;

  private final Optional<byte[]> secret;
  private final StokerConfig.HostKeys demanded;
  private final HostDirectory directory;
  private final Map<String, Stranger> strangers = new HashMap<>();

  /** By which hosts are told things, each of which has a topic. */
  private final Map<String, byte[]> placementsKeys = new ConcurrentHashMap<>();

  /**
   * Somebody who is not believed to be the host that it says it is.
   *
   * @param heard when it last said something, by {@link System#nanoTime}
   */
  private record Stranger(String reason, long heard) {
    boolean isLater(long nanos) {
      return nanos - heard < REMEMBERED.toNanos();
    }
  }

  /** What a message proves of its sender. */
  public enum Proof {
    /** It has the host's key. */
    SIGNED,
    /** Nothing; it is believed all the same. */
    NONE,
    /** It is not to be believed. */
    REFUSED
  }

  @Inject
  HostKeys(StokerConfig config, HostDirectory directory) {
    this(config.hostSecret(), config.hostKeys(), directory);
  }

  private HostKeys(Optional<String> hex, StokerConfig.HostKeys demanded, HostDirectory directory) {
    secret = hex.map(HexFormat.of()::parseHex);
    this.demanded = demanded;
    this.directory = directory;
  }

  /** For what does without the running dispatcher, and hears no hosts. */
  public static HostKeys of(Config config) {
    HostDirectory nobody = new HostDirectory(new LeaseBook(0, 0), () -> 0);
    return new HostKeys(
        config.getOptionalValue("stoker.host-secret", String.class),
        config
            .getOptionalValue("stoker.host-keys", StokerConfig.HostKeys.class)
            .orElse(StokerConfig.HostKeys.REQUIRED),
        nobody);
  }

  /**
   * What a message of a host proves. One that is refused is no silence: the host is held.
   *
   * @param message with its {@code mac}, as received
   */
  public Proof proof(String host, JsonNode message) {
    boolean signed = message.hasNonNull("mac");
    Optional<String> refusal = refusal(host, message, signed);
    if (refusal.isPresent()) {
      refused(host, refusal.get());
      return Proof.REFUSED;
    }
    boolean proven = signed && secret.isPresent() && demanded != StokerConfig.HostKeys.OFF;
    if (proven) {
      directory.keyed(host);
    }
    return proven ? Proof.SIGNED : Proof.NONE;
  }

  private Optional<String> refusal(String host, JsonNode message, boolean signed) {
    if (demanded == StokerConfig.HostKeys.OFF) {
      return Optional.empty();
    }
    if (secret.isEmpty()) {
      return directory.isKeyed(host)
          ? Optional.of(
              "its agent's messages are ignored: the host has used its key, and this dispatcher has"
                  + " no stoker.host-secret to check it by")
          : Optional.empty();
    }
    if (signed) {
      return Macs.verify(Macs.hostKey(secret.get(), host), message)
          ? Optional.empty()
          : Optional.of(
              "its agent's messages are ignored: its stoker.agent.key is of another host or"
                  + " secret");
    }
    return demanded == StokerConfig.HostKeys.REQUIRED || directory.isKeyed(host)
        ? Optional.of(
            "its agent's messages are ignored, since they are not signed: it has no"
                + " stoker.agent.key")
        : Optional.empty();
  }

  /** Whether hosts have keys at all. */
  public boolean required() {
    return secret.isPresent();
  }

  /** Whether a record of events is signed as a whole with the key of its host. */
  public boolean sealed(String host, byte[] record) {
    boolean sealed = secret.isPresent() && Macs.sealed(Macs.hostKey(secret.get(), host), record);
    if (!sealed) {
      refused(
          host,
          "its agent's events are ignored: its stoker.agent.key is of another host or secret");
    }
    return sealed;
  }

  /** A record for a host's placements topic, signed as a whole if hosts have keys. */
  public byte[] seal(String host, byte[] record) {
    return secret
        .map(own -> placementsKeys.computeIfAbsent(host, name -> placementsKey(own, name)))
        .map(key -> Macs.seal(key, record))
        .orElse(record);
  }

  private static byte[] placementsKey(byte[] secret, String host) {
    return Macs.placementsKey(Macs.hostKey(secret, host));
  }

  private void refused(String host, String reason) {
    directory.refused(host);
    doubt(host, reason, System.nanoTime());
  }

  private synchronized void doubt(String host, String reason, long now) {
    strangers.values().removeIf(one -> !one.isLater(now));
    if (strangers.size() < MOST || strangers.containsKey(host)) {
      strangers.put(host, new Stranger(reason, now));
    }
  }

  /** Why messages in the name of these hosts were ignored of late, by name. */
  public synchronized SortedMap<String, String> ignored() {
    long now = System.nanoTime();
    SortedMap<String, String> why = new TreeMap<>();
    strangers.forEach(
        (host, one) -> {
          if (one.isLater(now)) {
            why.put(host, one.reason());
          }
        });
    return why;
  }
}
