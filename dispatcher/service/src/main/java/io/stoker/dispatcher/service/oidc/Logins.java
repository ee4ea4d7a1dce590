package io.stoker.dispatcher.service.oidc;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.access.TokenBook;
import io.vertx.core.Future;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jose4j.jwt.JwtClaims;

/** Says whose a token is: one of the file, or one of the issuer's where there is an issuer. */
@ApplicationScoped
public class Logins {
  private final TokenBook book;
  private final OidcSettings settings;
  private final IssuedTokens issued;
  private final ClaimMapping mapping;

  Logins(TokenBook book, OidcSettings settings, IssuedTokens issued) {
    this.book = book;
    this.settings = settings;
    this.issued = issued;
    mapping = settings.mapping();
  }

  /**
   * Looks a token up.
   *
   * @param address that it comes from
   */
  public Uni<Login> login(String token, String address) {
    return Answers.of(found(token, address));
  }

  private Future<Login> found(String token, String address) {
    if (!settings.present() || !IssuedTokens.isJwt(token)) {
      return Future.succeededFuture(book.login(token, address));
    }
    Duration blocked = book.heldUp(token, address);
    return blocked.isZero()
        ? judged(issued.claims(token), token, address)
        : Future.succeededFuture(new Login.Blocked(blocked));
  }

  /**
   * What claims come to, or the reason why there are none.
   *
   * @param secret by which somebody got that far
   */
  Future<Login> judged(Future<JwtClaims> claims, String secret, String address) {
    return claims
        .map(
            said -> {
              book.heard(secret, address, true);
              return mapping.login(said.getClaimsMap());
            })
        .recover(error -> refused(error, secret, address));
  }

  private Future<Login> refused(Throwable error, String secret, String address) {
    return switch (error) {
      case IssuedTokens.Flaw flaw -> {
        if (flaw.isGuess()) {
          book.heard(secret, address, false);
        }
        yield Future.succeededFuture(new Login.Flawed(flaw.getMessage()));
      }
      case Issuer.Away away -> Future.succeededFuture(new Login.Unavailable(away.getMessage()));
      default -> Future.failedFuture(error);
    };
  }
}
