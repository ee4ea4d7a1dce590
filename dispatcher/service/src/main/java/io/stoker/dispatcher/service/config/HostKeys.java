package io.stoker.dispatcher.service.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.runtime.Startup;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.host.HostSecret;
import io.stoker.dispatcher.host.LeaseBook;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.eclipse.microprofile.config.Config;

/**
 * Tells whether a host's message comes from that host. A dispatcher does not start where keys are
 * demanded that it cannot check.
 */
@Startup
@ApplicationScoped
public class HostKeys {
  private final Optional<HostSecret> secret;
  private final StokerConfig.HostKeys demanded;
  private final HostKeyBook book;
  private final Strangers strangers;

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
  HostKeys(StokerConfig config, HostKeyBook book, Strangers strangers) {
    this(config.hostSecret(), config.hostKeys(), book, strangers);
  }

  private HostKeys(
      Optional<String> hex,
      Optional<StokerConfig.HostKeys> asked,
      HostKeyBook book,
      Strangers strangers) {
    secret = hex.map(HostSecret::configured);
    demanded = asked.orElse(StokerConfig.HostKeys.REQUIRED);
    if (secret.isEmpty() && asked.isPresent() && demanded != StokerConfig.HostKeys.OFF) {
      throw new IllegalArgumentException(
          "stoker.host-keys is %s, and stoker.host-secret is not set: no host's key could be"
                  .formatted(demanded.name().toLowerCase(Locale.ROOT).replace('_', '-'))
              + " checked, and whoever writes to Kafka would pass for any host; set"
              + " stoker.host-secret (hex, the same for all dispatchers), or leave stoker.host-keys"
              + " out");
    }
    this.book = book;
    this.strangers = strangers;
  }

  /**
   * For what does without the running dispatcher, and hears no hosts.
   *
   * @param book what is known of their keys
   * @throws IllegalArgumentException that names both settings, if keys are demanded and there is no
   *     secret to check them by
   */
  public static HostKeys of(Config config, HostKeyBook book) {
    return new HostKeys(
        config.getOptionalValue("stoker.host-secret", String.class),
        config.getOptionalValue("stoker.host-keys", StokerConfig.HostKeys.class),
        book,
        new Strangers(new HostDirectory(new LeaseBook(0, 0), () -> 0)));
  }

  /**
   * What a message of a host proves. One that is refused is no silence: the host is held.
   *
   * @param message with its {@code mac}, as received
   */
  public Proof proof(String host, JsonNode message) {
    if (demanded == StokerConfig.HostKeys.OFF) {
      return Proof.NONE;
    }
    if (secret.isPresent() && message.hasNonNull("mac")) {
      return isSigned(host, "messages", key -> Macs.verify(key, message))
          ? Proof.SIGNED
          : Proof.REFUSED;
    }
    Optional<String> refusal = unproven(host);
    refusal.ifPresent(why -> strangers.refused(host, "its agent's messages are ignored" + why));
    return refusal.isPresent() ? Proof.REFUSED : Proof.NONE;
  }

  private Optional<String> unproven(String host) {
    if (secret.isEmpty()) {
      return book.isKeyed(host)
          ? Optional.of(
              ": the host has used its key, and this dispatcher has no stoker.host-secret to check"
                  + " it by")
          : Optional.empty();
    }
    return demanded == StokerConfig.HostKeys.REQUIRED || book.isKeyed(host)
        ? Optional.of(", since they are not signed: it has no stoker.agent.key")
        : Optional.empty();
  }

  /** Whether hosts have keys at all. */
  public boolean required() {
    return secret.isPresent();
  }

  /** Whether a record of events is signed as a whole with the key of its host. */
  public boolean sealed(String host, byte[] record) {
    return Topics.isHost(host) && isSigned(host, "events", key -> Macs.sealed(key, record));
  }

  /** Whether pieces of output are looked at, of any host. */
  public boolean judgesOutput() {
    return secret.isPresent() && demanded != StokerConfig.HostKeys.OFF;
  }

  /**
   * Whether a piece of output may be of the host that its attempt was placed on. One that is not
   * holds nothing against the host: anybody may have written it.
   *
   * @param placedAt ms since 1970
   * @param piece as it is on the topic
   */
  public boolean believesOutput(String host, long placedAt, byte[] piece) {
    return book.output(host)
        .filter(signing -> signing.since() <= placedAt)
        .map(HostKeyBook.Output::keys)
        .flatMap(keys -> secret.map(own -> own.signer(host, keys, key -> Macs.sealed(key, piece))))
        .map(OptionalInt::isPresent)
        .orElse(true);
  }

  private boolean isSigned(String host, String what, Predicate<byte[]> fits) {
    HostKeyBook.Taken taken = book.taken(host);
    OptionalInt signer =
        secret.map(own -> own.signer(host, taken, fits)).orElseGet(OptionalInt::empty);
    signer.ifPresentOrElse(
        generation -> book.heard(host, generation),
        () ->
            strangers.refused(host, "its agent's %s are ignored: %s".formatted(what, why(taken))));
    return signer.isPresent();
  }

  private static String why(HostKeyBook.Taken taken) {
    return "its stoker.agent.key is of another host or secret"
        + (taken.oldest() == 0
            ? ""
            : ", or older than generation %d, the first one that is not revoked"
                .formatted(taken.oldest()));
  }
}
