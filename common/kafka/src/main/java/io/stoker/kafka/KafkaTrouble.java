package io.stoker.kafka;

import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.IllegalSaslStateException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;

/** Sentences about TLS, logins and rights for what Kafka's clients throw. */
final class KafkaTrouble {
  private static final int MOST_CAUSES = 20;

  private KafkaTrouble() {}

  /** What TLS, the login or rights have to do with an error; empty if nothing. */
  static Optional<String> refused(KafkaAccess access, Throwable error) {
    List<Throwable> causes = causes(error);
    return causes.stream().flatMap(cause -> refused(access, cause, causes).stream()).findFirst();
  }

  private static Optional<String> refused(
      KafkaAccess access, Throwable cause, List<Throwable> causes) {
    return switch (cause) {
      case SslAuthenticationException tls -> Optional.of(tls(access, causes));
      case IllegalSaslStateException state -> access.mismatch();
      case UnsupportedSaslMechanismException mechanism -> access.mismatch();
      case SaslAuthenticationException login ->
          Optional.of("login refused by %s as %s".formatted(access, access.login()));
      case AuthenticationException login ->
          Optional.of(
              "login refused by %s as %s: %s"
                  .formatted(access, access.login(), login.getMessage()));
      case AuthorizationException right ->
          Optional.of(
              "%s has no right to that at %s: %s; see stoker acls"
                  .formatted(access.login(), access, right.getMessage()));
      case LoginException token ->
          Optional.of("no token for %s as %s: %s".formatted(access, access.login(), reason(token)));
      case OutOfMemoryError none -> access.mismatch();
      case TimeoutException silence -> access.mismatch();
      case DisconnectException silence -> access.mismatch();
      default -> Optional.empty();
    };
  }

  /** Java puts the whole trace of what kept somebody from a login into its message. */
  private static String reason(LoginException login) {
    List<String> lines = String.valueOf(login.getMessage()).lines().toList();
    return lines.stream()
        .filter(line -> line.startsWith("Caused by: "))
        .reduce((first, last) -> last)
        .orElse(lines.isEmpty() ? login.toString() : lines.getFirst())
        .replaceFirst("^(Caused by: )?([\\w.$]+(Exception|Error): )*", "");
  }

  /** An error as Kafka's clients say it. */
  static String said(Throwable error) {
    List<String> messages =
        causes(error).stream()
            .filter(cause -> !(cause instanceof ExecutionException))
            .map(Throwable::getMessage)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return messages.isEmpty()
        ? error.toString()
        : String.join(": ", messages.subList(Math.max(0, messages.size() - 2), messages.size()));
  }

  private static List<Throwable> causes(Throwable error) {
    return Stream.iterate(error, Objects::nonNull, Throwable::getCause).limit(MOST_CAUSES).toList();
  }

  private static String tls(KafkaAccess access, List<Throwable> causes) {
    String text =
        causes.stream()
            .map(Throwable::toString)
            .collect(Collectors.joining(" "))
            .toLowerCase(Locale.ROOT);
    if (causes.stream().anyMatch(CertificateExpiredException.class::isInstance)) {
      return "the certificate of %s has expired".formatted(access);
    }
    if (causes.stream().anyMatch(CertificateNotYetValidException.class::isInstance)) {
      return "the certificate of %s is not valid yet: is this machine's clock right?"
          .formatted(access);
    }
    if (text.contains("no subject alternative") || text.contains("no name matching")) {
      return "the certificate of %s is for another host name: %s"
          .formatted(access, causes.getLast().getMessage());
    }
    if (text.contains("certification path") || text.contains("trustanchors")) {
      return "the certificate of %s is not trusted: set ssl.truststore.location to its authority's"
          .formatted(access);
    }
    if (text.contains("bad_certificate")
        || text.contains("certificate_required")
        || text.contains("certificate_unknown")
        || text.contains("unknown_ca")) {
      return (access.certified()
              ? "%s does not take this client's certificate: set ssl.keystore.location to one it trusts"
              : "%s wants a certificate of this client, which has none: set ssl.keystore.location")
          .formatted(access);
    }
    return access
        .mismatch()
        .orElseGet(() -> "TLS with %s fails: %s".formatted(access, causes.getLast().getMessage()));
  }

  /** What the broker has and this client has not, or the other way. */
  static Optional<String> mismatch(KafkaAccess access, BrokerProbe.Found found) {
    String broker = found.broker();
    if (found.tls() != access.tls()) {
      return Optional.of(
          found.tls()
              ? "the broker at %s speaks TLS, this client does not: set security.protocol"
                  .formatted(broker)
              : "the broker at %s speaks no TLS, this client does: set security.protocol"
                  .formatted(broker));
    }
    if (found.mechanisms().isEmpty()) {
      return Optional.empty();
    }
    List<String> taken = found.mechanisms().get();
    Optional<String> own = access.mechanism();
    if (own.isEmpty()) {
      return taken.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "the broker at %s wants a login (SASL %s), this client has none: set sasl.jaas.config"
                  .formatted(broker, String.join(", ", taken)));
    }
    if (taken.isEmpty()) {
      return Optional.of(
          "the broker at %s takes no login, this client gives one: set security.protocol"
              .formatted(broker));
    }
    return taken.contains(own.get())
        ? Optional.empty()
        : Optional.of(
            "the broker at %s takes logins by SASL %s, this client's is by %s: set sasl.mechanism"
                .formatted(broker, String.join(", ", taken), own.get()));
  }
}
