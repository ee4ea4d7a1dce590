package io.stoker.dispatcher.service.rest;

import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.quarkus.vertx.http.runtime.security.HttpCredentialTransport;
import io.smallrye.mutiny.Uni;
import io.stoker.common.security.AccessRole;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.ClientCertificates;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.access.TokenBook;
import io.stoker.dispatcher.service.oidc.Logins;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says who calls by the token that they send, by the certificate of their connection, or by the
 * token that the page keeps in a cookie for them. Of what is not taken nothing is said before a
 * call asks for a role: {@link Errors} answers then, as {@link #refusal} has it.
 */
@ApplicationScoped
class BearerLogin implements HttpAuthenticationMechanism {
  static final String SCHEME = "Bearer";
  private static final String CALLER = "stoker.caller";
  private static final String REFUSED = "stoker.refused-login";
  private static final String STRANGER = "stoker.stranger";

  private final TokenBook tokens;
  private final Logins logins;
  private final SecurityIdentity anybody = identity(Caller.ANYBODY);

  BearerLogin(TokenBook tokens, Logins logins) {
    this.tokens = tokens;
    this.logins = logins;
  }

  @Override
  public Uni<SecurityIdentity> authenticate(RoutingContext call, IdentityProviderManager manager) {
    if (tokens.isOpen()) {
      return Uni.createFrom().item(anybody);
    }
    return caller(call).map(caller -> caller.map(BearerLogin::identity).orElse(null));
  }

  /** A token that is sent counts before the connection's certificate, and this before a cookie. */
  private Uni<Optional<Caller>> caller(RoutingContext call) {
    String header = call.request().getHeader(HttpHeaders.AUTHORIZATION);
    Optional<String> certified =
        header == null ? ClientCertificates.name(call.request()) : Optional.empty();
    if (certified.isPresent()) {
      Optional<Caller> found = tokens.certified(certified.get());
      if (found.isEmpty()) {
        call.put(STRANGER, certified.get());
      }
      return Uni.createFrom().item(found);
    }
    Optional<String> token =
        header == null ? SessionCookie.of(call.request()) : BearerLogin.token(header);
    return token
        .map(sent -> caller(call, sent))
        .orElseGet(() -> Uni.createFrom().item(Optional.empty()));
  }

  private Uni<Optional<Caller>> caller(RoutingContext call, String token) {
    return logins
        .login(token, call.request().remoteAddress().hostAddress())
        .map(
            login -> {
              if (login instanceof Login.Taken taken) {
                return Optional.of(taken.caller());
              }
              call.put(REFUSED, login);
              return Optional.empty();
            });
  }

  private static Optional<String> token(String header) {
    return header.regionMatches(true, 0, SCHEME + " ", 0, SCHEME.length() + 1)
        ? Optional.of(header.substring(SCHEME.length() + 1).strip())
        : Optional.empty();
  }

  @Override
  public Uni<ChallengeData> getChallenge(RoutingContext call) {
    int status =
        refusal(call).map(login -> ApiException.refusal(login).error().status()).orElse(401);
    return Uni.createFrom().item(new ChallengeData(status, "WWW-Authenticate", SCHEME));
  }

  @Override
  public Uni<HttpCredentialTransport> getCredentialTransport(RoutingContext call) {
    return Uni.createFrom()
        .item(new HttpCredentialTransport(HttpCredentialTransport.Type.AUTHORIZATION, SCHEME));
  }

  /** Whose certificate a call came with that is not let in; empty if it came with none. */
  static Optional<String> stranger(RoutingContext call) {
    return Optional.ofNullable(call.get(STRANGER));
  }

  /** Why a call that sent a token is not answered; empty if it sent none. */
  static Optional<Login> refusal(RoutingContext call) {
    return Optional.ofNullable(call.get(REFUSED));
  }

  /** Who an identity is. */
  static Caller caller(SecurityIdentity identity) {
    return identity.getAttribute(CALLER);
  }

  private static SecurityIdentity identity(Caller caller) {
    return QuarkusSecurityIdentity.builder()
        .setPrincipal(new QuarkusPrincipal(caller.name().orElse("")))
        .addRoles(
            Arrays.stream(AccessRole.values())
                .filter(caller.role()::includes)
                .map(AccessRole::key)
                .collect(Collectors.toSet()))
        .addAttribute(CALLER, caller)
        .build();
  }
}
