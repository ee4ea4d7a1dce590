package io.stoker.dispatcher.service.oidc;

import io.stoker.dispatcher.service.oidc.Issuer.Known;
import io.vertx.core.Future;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.ErrorCodes;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jose4j.lang.UnresolvableKeyException;

/** Checks that a JWT (RFC 7519) is the issuer's, for this dispatcher, and still in force. */
@ApplicationScoped
class IssuedTokens {
  /** How far the issuer's clock may be off. */
  static final int CLOCK_SKEW_S = 30;

  private static final int PARTS = 3;
  private static final int MOST_SAID = 200;

  /**
   * Those by which an issuer signs and others can only check: with a shared secret, or without any
   * signature, whoever knows the issuer's public key could make tokens (RFC 8725, 2.1).
   */
  private static final AlgorithmConstraints SIGNED =
      new AlgorithmConstraints(
          ConstraintType.PERMIT,
          AlgorithmIdentifiers.RSA_USING_SHA256,
          AlgorithmIdentifiers.RSA_USING_SHA384,
          AlgorithmIdentifiers.RSA_USING_SHA512,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
          AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
          AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
          AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
          AlgorithmIdentifiers.EDDSA);

  private final OidcSettings settings;
  private final Issuer issuer;

  IssuedTokens(OidcSettings settings, Issuer issuer) {
    this.settings = settings;
    this.issuer = issuer;
  }

  /** A token that is none of the issuer's, or none for here and now. */
  static final class Flaw extends Exception {
    private final boolean guess;

    /**
     * @param given what it is
     * @param guess whether it may be made up; one that the issuer signed and that is over is not
     */
    Flaw(String given, boolean guess) {
      super(given, null, false, false);
      this.guess = guess;
    }

    boolean isGuess() {
      return guess;
    }
  }

  /** Whether it looks like one; no token of ours has a dot. */
  static boolean isJwt(String token) {
    return token.split("\\.", -1).length == PARTS;
  }

  /** What one says. Fails with {@link Flaw}, with {@link Issuer.Away}. */
  Future<JwtClaims> claims(String token) {
    long came = issuer.nanos();
    return issuer
        .known()
        .compose(
            known ->
                claims(token, known)
                    .recover(
                        error ->
                            error instanceof UnresolvableKeyException
                                ? byNewerKeys(token, known, came)
                                : Future.failedFuture(error)));
  }

  /** A key that is not known may be new: only keys that were read since then tell. */
  private Future<JwtClaims> byNewerKeys(String token, Known before, long came) {
    return issuer
        .after(before)
        .compose(
            known ->
                claims(token, known)
                    .recover(
                        error -> {
                          if (!(error instanceof UnresolvableKeyException)) {
                            return Future.failedFuture(error);
                          }
                          return Future.failedFuture(
                              known.nanos() - came < 0
                                  ? issuer.notAskedSince()
                                  : new Flaw(
                                      "a JWT that is signed by none of the issuer's keys", true));
                        }));
  }

  /** Fails with {@link UnresolvableKeyException} if it is of another key. */
  private Future<JwtClaims> claims(String token, Known known) {
    JwksVerificationKeyResolver keys = new JwksVerificationKeyResolver(known.keys());
    keys.setDisambiguateWithVerifySignature(true);
    try {
      return Future.succeededFuture(
          new JwtConsumerBuilder()
              .setJwsAlgorithmConstraints(SIGNED)
              .setVerificationKeyResolver(keys)
              .setExpectedIssuer(true, settings.issuer())
              .setExpectedAudience(true, settings.clientId())
              .setRequireExpirationTime()
              .setAllowedClockSkewInSeconds(CLOCK_SKEW_S)
              .build()
              .processToClaims(token));
    } catch (InvalidJwtException e) {
      return Future.failedFuture(
          e.getCause() instanceof UnresolvableKeyException unknown && isSigned(token)
              ? unknown
              : flaw(e));
    }
  }

  /** Whether a key of the issuer could be meant: of other algorithms it has none. */
  private static boolean isSigned(String token) {
    try {
      SIGNED.checkConstraint(
          JsonWebStructure.fromCompactSerialization(token).getAlgorithmHeaderValue());
      return true;
    } catch (JoseException e) {
      return false;
    }
  }

  private Flaw flaw(InvalidJwtException error) {
    JwtClaims claims = error.getJwtContext() == null ? null : error.getJwtContext().getJwtClaims();
    try {
      if (error.hasErrorCode(ErrorCodes.ISSUER_INVALID)) {
        return new Flaw(said("a JWT of the issuer ", claims.getIssuer()), true);
      }
      if (error.hasErrorCode(ErrorCodes.AUDIENCE_INVALID)) {
        return new Flaw(said("a JWT for the audience ", claims.getAudience()), true);
      }
      if (error.hasExpired()) {
        return new Flaw(said("a JWT that expired at ", instant(claims)), false);
      }
    } catch (MalformedClaimException malformed) {
      return new Flaw("a JWT with a claim that is malformed", true);
    }
    if (error.hasErrorCode(ErrorCodes.SIGNATURE_INVALID)) {
      return new Flaw("a JWT whose signature is wrong", true);
    }
    List<String> why = error.getErrorDetails().stream().map(one -> one.getErrorMessage()).toList();
    return new Flaw(said("a JWT that is wrong: ", String.join("; ", why)), true);
  }

  private static Object instant(JwtClaims claims) throws MalformedClaimException {
    return java.time.Instant.ofEpochSecond(claims.getExpirationTime().getValue());
  }

  private static String said(String what, Object value) {
    String text = what + value;
    return text.length() > MOST_SAID ? text.substring(0, MOST_SAID) + "…" : text;
  }
}
