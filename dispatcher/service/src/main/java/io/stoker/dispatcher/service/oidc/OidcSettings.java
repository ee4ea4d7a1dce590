package io.stoker.dispatcher.service.oidc;

import io.quarkus.runtime.StartupEvent;
import io.stoker.common.security.AccessRole;
import io.stoker.dispatcher.service.config.PemFiles;
import io.stoker.dispatcher.service.config.StokerConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/** The configuration of an issuer; a dispatcher does not start with one that cannot work. */
@ApplicationScoped
class OidcSettings {
  private static final Logger LOG = Logger.getLogger(OidcSettings.class);
  private static final String ISSUER = "stoker.oidc.issuer";
  private static final String CA = "stoker.oidc.ca";

  private final StokerConfig.Oidc config;
  private final boolean withFile;

  @Inject
  OidcSettings(StokerConfig config) {
    this(config.oidc(), config.http().tokensFile().isPresent());
  }

  /**
   * @param withFile whether there is a file of tokens
   */
  OidcSettings(StokerConfig.Oidc config, boolean withFile) {
    this.config = config;
    this.withFile = withFile;
  }

  void start(@Observes StartupEvent event) {
    config.issuer().ifPresent(this::check);
  }

  private void check(String issuer) {
    String scheme = scheme(issuer);
    if (!scheme.equals("https") && !scheme.equals("http")) {
      throw new IllegalArgumentException(
          "%s is %s, expected a URL, https://…".formatted(ISSUER, issuer));
    }
    need(config.clientId().isPresent(), "stoker.oidc.client-id is not");
    // Who has sent what is signed by a secret that all replicas have, and after a restart, too.
    need(withFile, "stoker.http.tokens-file is not");
    need(!roles().isEmpty(), "none of stoker.oidc.roles.read, submit, operate and admin is");
    config.ca().ifPresent(file -> PemFiles.first(CA, file));
    if (scheme.equals("http")) {
      LOG.warnf(
          "%s is %s: whoever is on the way to it without TLS can log in as anybody",
          ISSUER, issuer);
    }
  }

  private static String scheme(String issuer) {
    try {
      URI uri = URI.create(issuer);
      return uri.getHost() == null ? "" : uri.getScheme();
    } catch (IllegalArgumentException noUri) {
      return "";
    }
  }

  private static void need(boolean there, String missing) {
    if (!there) {
      throw new IllegalArgumentException("%s is set, and %s".formatted(ISSUER, missing));
    }
  }

  /** Whether people log in by an issuer. */
  boolean present() {
    return config.issuer().isPresent();
  }

  /** As its tokens name it. */
  String issuer() {
    return config.issuer().orElseThrow();
  }

  /** The issuer for people: its host. */
  String issuerName() {
    return URI.create(issuer()).getHost();
  }

  String clientId() {
    return config.clientId().orElseThrow();
  }

  /** Empty if nobody logs in by it on the page. */
  Optional<String> clientSecret() {
    return config.clientSecret();
  }

  String scopes() {
    return String.join(" ", config.scopes());
  }

  Optional<String> callback() {
    return config.callback();
  }

  /** By what it is believed. */
  PemFiles tls() {
    return new PemFiles(config.ca(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  ClaimMapping mapping() {
    return new ClaimMapping(config.nameClaim(), config.rolesClaim(), roles(), config.queues());
  }

  private Map<AccessRole, Set<String>> roles() {
    Map<AccessRole, Set<String>> roles = new EnumMap<>(AccessRole.class);
    config.roles().read().ifPresent(values -> roles.put(AccessRole.READ, values));
    config.roles().submit().ifPresent(values -> roles.put(AccessRole.SUBMIT, values));
    config.roles().operate().ifPresent(values -> roles.put(AccessRole.OPERATE, values));
    config.roles().admin().ifPresent(values -> roles.put(AccessRole.ADMIN, values));
    return roles;
  }
}
