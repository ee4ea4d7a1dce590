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
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.access.TokenBook;
import io.stoker.dispatcher.service.access.TokenBook.Login;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says who calls by the token that they send, or that the page keeps in a cookie for them. Of a
 * token that is not taken nothing is said before a call asks for a role: {@link Errors} answers
 * then, as {@link #refusal} has it.
 */
@ApplicationScoped
class BearerLogin implements HttpAuthenticationMechanism {
  static final String SCHEME = "Bearer";
  private static final String CALLER = "stoker.caller";
  private static final String REFUSED = "stoker.refused-login";

  private final TokenBook tokens;
  private final SecurityIdentity anybody = identity(Caller.ANYBODY);

  BearerLogin(TokenBook tokens) {
    this.tokens = tokens;
  }

  @Override
  public Uni<SecurityIdentity> authenticate(RoutingContext call, IdentityProviderManager manager) {
    if (tokens.isOpen()) {
      return Uni.createFrom().item(anybody);
    }
    Optional<String> token = sent(call.request());
    if (token.isEmpty()) {
      return Uni.createFrom().nullItem();
    }
    Login login = tokens.login(token.get(), call.request().remoteAddress().hostAddress());
    if (login instanceof Login.Taken taken) {
      return Uni.createFrom().item(identity(taken.caller()));
    }
    call.put(REFUSED, login);
    return Uni.createFrom().nullItem();
  }

  private static Optional<String> sent(HttpServerRequest call) {
    String header = call.getHeader(HttpHeaders.AUTHORIZATION);
    if (header == null) {
      return SessionCookie.of(call);
    }
    return header.regionMatches(true, 0, SCHEME + " ", 0, SCHEME.length() + 1)
        ? Optional.of(header.substring(SCHEME.length() + 1).strip())
        : Optional.empty();
  }

  @Override
  public Uni<ChallengeData> getChallenge(RoutingContext call) {
    return Uni.createFrom().item(new ChallengeData(401, "WWW-Authenticate", SCHEME));
  }

  @Override
  public Uni<HttpCredentialTransport> getCredentialTransport(RoutingContext call) {
    return Uni.createFrom()
        .item(new HttpCredentialTransport(HttpCredentialTransport.Type.AUTHORIZATION, SCHEME));
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
