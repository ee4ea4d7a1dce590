package io.stoker.dispatcher.service.oidc;

import io.smallrye.mutiny.Uni;
import io.stoker.common.security.AccessTokens;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.access.StrictCookie;
import io.stoker.dispatcher.service.access.TokenBook;
import io.vertx.core.Future;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jose4j.jwt.JwtClaims;

/**
 * Has people log in at the issuer for the page, by OpenID Connect's code flow with PKCE. What a
 * browser keeps in between is a random text in a cookie, of which {@code state}, {@code nonce} and
 * the verifier of PKCE are hashes: nothing is kept here, so that any replica takes who comes back.
 */
@ApplicationScoped
public class CodeFlow {
  /** Where a login begins and ends, below the page's own forms. */
  public static final String PATH = "/page/oidc";

  public static final String BACK = "/back";

  private static final String COOKIE = "stoker-oidc";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** What browsers take as a cookie, less what is said around it. */
  private static final int MOST_COOKIE = 3_900;

  /** An address to go to afterwards that is longer is forgotten. */
  private static final int MOST_TO = 2_000;

  private final OidcSettings settings;
  private final Issuer issuer;
  private final IssuedTokens issued;
  private final Logins logins;
  private final TokenBook book;

  CodeFlow(
      OidcSettings settings, Issuer issuer, IssuedTokens issued, Logins logins, TokenBook book) {
    this.settings = settings;
    this.issuer = issuer;
    this.issued = issued;
    this.logins = logins;
    this.book = book;
  }

  /**
   * How a login ended.
   *
   * @param token that is the session from then on, if it is taken
   * @param to where they wanted to go
   */
  public record Ended(Login login, String token, String to) {}

  /** What the issuer is called on the page; empty if nobody logs in by it there. */
  public Optional<String> issuerName() {
    return settings.present() && settings.clientSecret().isPresent()
        ? Optional.of(settings.issuerName())
        : Optional.empty();
  }

  /** Whether {@link #begin} failed as the issuer is away. */
  public static boolean isAway(Throwable error) {
    return error instanceof Issuer.Away;
  }

  /**
   * Begins a login.
   *
   * @param to where to go afterwards, on this dispatcher
   * @return where to send the browser; fails with {@link Issuer.Away}, a sentence
   */
  public Uni<String> begin(HttpServerRequest call, String to) {
    return Answers.of(
        issuer
            .known()
            .map(
                known -> {
                  String random = AccessTokens.random("");
                  String kept = to.length() > MOST_TO ? "/" : to;
                  byte[] path = kept.getBytes(StandardCharsets.UTF_8);
                  keep(call, random + "." + base64(path), PATIENCE);
                  return address(known.authorization(), random, callback(call));
                }));
  }

  private String address(String authorization, String random, String callback) {
    Map<String, String> asked = new LinkedHashMap<>();
    asked.put("response_type", "code");
    asked.put("client_id", settings.clientId());
    asked.put("redirect_uri", callback);
    asked.put("scope", settings.scopes());
    asked.put("state", state(random));
    asked.put("nonce", nonce(random));
    asked.put("code_challenge", base64(sha256(verifier(random))));
    asked.put("code_challenge_method", "S256");
    return authorization + (authorization.contains("?") ? "&" : "?") + Issuer.query(asked);
  }

  /**
   * Ends a login, as the browser comes back.
   *
   * @param code by which there is a token; null if there is none
   * @param state that the issuer was given
   * @param error why there is no code; null if there is one
   */
  public Uni<Ended> end(HttpServerRequest call, String code, String state, String error) {
    return Answers.of(ending(call, code, state, error));
  }

  private Future<Ended> ending(HttpServerRequest call, String code, String state, String error) {
    String[] kept = kept(call);
    String random = kept[0];
    if (random.isEmpty() || state == null || !same(state(random), state)) {
      return ended(
          new Login.Flawed("a login that this browser did not begin in the last 10 min"), "/");
    }
    keep(call, "", Duration.ZERO);
    String to = new String(Base64.getUrlDecoder().decode(kept[1]), StandardCharsets.UTF_8);
    if (code == null) {
      return ended(new Login.Flawed(settings.issuerName() + " says: " + error), to);
    }
    String address = call.remoteAddress().hostAddress();
    Duration blocked = book.heldUp(code, address);
    if (!blocked.isZero()) {
      return ended(new Login.Blocked(blocked), to);
    }
    Future<String> token = token(code, random, callback(call));
    return logins
        .judged(token.compose(one -> claims(one, nonce(random))), code, address)
        .map(login -> new Ended(login, token.result(), to));
  }

  private Future<String> token(String code, String random, String callback) {
    return issuer
        .idToken(code, verifier(random), callback)
        .recover(
            error ->
                Future.failedFuture(
                    error instanceof Issuer.Refused refused
                        ? new IssuedTokens.Flaw(
                            settings.issuerName() + " says: " + refused.getMessage(), true)
                        : error));
  }

  private Future<JwtClaims> claims(String token, String nonce) {
    return issued
        .claims(token)
        .compose(
            claims -> {
              if (!nonce.equals(claims.getClaimValueAsString("nonce"))) {
                return Future.failedFuture(
                    new IssuedTokens.Flaw("an ID token of another login", true));
              }
              return token.length() > MOST_COOKIE
                  ? Future.failedFuture(
                      new IssuedTokens.Flaw(
                          "an ID token of %d bytes, of which browsers keep %d: have the issuer say less in it"
                              .formatted(token.length(), MOST_COOKIE),
                          false))
                  : Future.succeededFuture(claims);
            });
  }

  private static Future<Ended> ended(Login login, String to) {
    return Future.succeededFuture(new Ended(login, "", to));
  }

  private String callback(HttpServerRequest call) {
    return settings
        .callback()
        .orElseGet(() -> call.scheme() + "://" + call.authority() + PATH + BACK);
  }

  /** The random text and where to go; both are empty if there are none. */
  private static String[] kept(HttpServerRequest call) {
    Cookie cookie = call.getCookie(COOKIE);
    String value = cookie == null ? "" : cookie.getValue();
    return value.matches("[\\w-]+\\.[\\w-]+") ? value.split("\\.") : new String[] {"", ""};
  }

  /** Other than the session, it has to come along when the issuer's page sends the browser back. */
  private static void keep(HttpServerRequest call, String value, Duration age) {
    call.response()
        .addCookie(
            StrictCookie.of(call, COOKIE, value)
                .setSameSite(CookieSameSite.LAX)
                .setPath(PATH)
                .setMaxAge(age.toSeconds()));
  }

  private static String state(String random) {
    return AccessTokens.hash("state of " + random);
  }

  private static String nonce(String random) {
    return AccessTokens.hash("nonce of " + random);
  }

  private static String verifier(String random) {
    return AccessTokens.hash("verifier of " + random);
  }

  private static byte[] sha256(String text) {
    return HexFormat.of().parseHex(AccessTokens.hash(text));
  }

  private static boolean same(String expected, String given) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
