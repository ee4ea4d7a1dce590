package io.stoker.dispatcher.service.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.lang.JoseException;

/**
 * Asks the issuer for its addresses and keys (OpenID Connect Discovery 1.0, RFC 7517), and for the
 * tokens of who has logged in there (RFC 6749, 4.1.3). What it has said stays while it is away.
 */
@ApplicationScoped
class Issuer {
  private static final Logger LOG = Logger.getLogger(Issuer.class);
  private static final String DISCOVERY = "/.well-known/openid-configuration";
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** A key that is withdrawn is not believed for much longer. */
  private static final Duration FRESH = Duration.ofMinutes(10);

  /** Nobody has it asked more often: not by keys that there are not, nor while it is away. */
  static final Duration SPACING = Duration.ofSeconds(5);

  private static final int OK = 200;
  private static final int SERVER_ERROR = 500;

  private final OidcSettings settings;
  private final Vertx vertx;
  private final LongSupplier clock;
  private HttpClient client;
  private Future<Known> asked;
  private long askedNanos;
  private Known known;
  private boolean missing;

  /** As its last answer told. */
  private volatile OptionalLong ahead = OptionalLong.empty();

  @Inject
  Issuer(OidcSettings settings, Vertx vertx) {
    this(settings, vertx, System::nanoTime);
  }

  /**
   * @param clock that only rises, ns
   */
  Issuer(OidcSettings settings, Vertx vertx, LongSupplier clock) {
    this.settings = settings;
    this.vertx = vertx;
    this.clock = clock;
  }

  /** By the clock of {@link Known#nanos}. */
  long nanos() {
    return clock.getAsLong();
  }

  /**
   * What it has said.
   *
   * @param nanos when it was asked
   * @param ahead by how many seconds its clock is, if it tells its time
   */
  record Known(JsonNode addresses, List<JsonWebKey> keys, long nanos, OptionalLong ahead) {
    /** Where browsers are sent. */
    String authorization() {
      return addresses.path("authorization_endpoint").asText();
    }

    /** What keeps people from logging in though it answers. */
    private Optional<String> trouble(boolean onPage) {
      long off = ahead.orElse(0);
      if (Math.abs(off) > IssuedTokens.CLOCK_SKEW_S) {
        return Optional.of(
            "its clock is %d s %s that of this dispatcher, and %d s are allowed for"
                .formatted(
                    Math.abs(off), off > 0 ? "ahead of" : "behind", IssuedTokens.CLOCK_SKEW_S));
      }
      return onPage && authorization().isEmpty()
          ? Optional.of("it names no authorization_endpoint, where people log in")
          : Optional.empty();
    }

    private String tokens() {
      return addresses.path("token_endpoint").asText();
    }

    /** Whether it takes a client's secret in a form, and not in a header, which is the default. */
    private boolean takesSecretInForm() {
      String methods = addresses.path("token_endpoint_auth_methods_supported").toString();
      return methods.contains("\"client_secret_post\"")
          && !methods.contains("\"client_secret_basic\"");
    }
  }

  /** It cannot be asked, or answers something else than it should. */
  static final class Away extends RuntimeException {
    Away(String message) {
      super(message, null, false, false);
    }
  }

  /** It answers that it does not do what it is asked. */
  static final class Refused extends RuntimeException {
    Refused(String message) {
      super(message, null, false, false);
    }
  }

  /** A dispatcher starts without it, too. */
  void start(@Observes StartupEvent event) {
    if (settings.present()) {
      known();
    }
  }

  /** What it has said last. Fails with {@link Away} if it has never said anything. */
  synchronized Future<Known> known() {
    long now = nanos();
    if (known == null) {
      return ask(now);
    }
    if (now - known.nanos >= FRESH.toNanos()) {
      ask(now);
    }
    return Future.succeededFuture(known);
  }

  /** Asks it anew, whether logins by it work: says what is wrong, and never fails. */
  Future<Optional<String>> trouble() {
    Future<Known> now;
    synchronized (this) {
      now = ask(nanos());
    }
    return now.map(
            known ->
                known
                    .trouble(settings.clientSecret().isPresent())
                    .map(why -> trouble(why).getMessage()))
        .otherwise(
            error ->
                Optional.of(error instanceof Away ? error.getMessage() : Fault.sentence(error)));
  }

  /**
   * What it says now, as a token is of none of the keys that it said it had; what it said last, if
   * that was just before. Fails with {@link Away}.
   */
  synchronized Future<Known> after(Known before) {
    if (known != before) {
      return Future.succeededFuture(known);
    }
    return ask(nanos());
  }

  /** The last answer or the one to come, if it was asked just now. */
  private Future<Known> ask(long now) {
    if (asked == null || asked.isComplete() && now - askedNanos >= SPACING.toNanos()) {
      askedNanos = now;
      asked = read(now).onSuccess(this::heard).onFailure(this::missed);
    }
    return asked;
  }

  private synchronized void heard(Known said) {
    known = said;
    if (missing) {
      LOG.infof("%s can be asked again", settings.issuer());
    }
    missing = false;
  }

  /** Said once. */
  private synchronized void missed(Throwable away) {
    if (!missing) {
      LOG.warn(away.getMessage());
    }
    missing = true;
  }

  private Future<Known> read(long now) {
    String base = settings.issuer().replaceFirst("/$", "");
    return get(base + DISCOVERY)
        .compose(
            addresses -> {
              String named = addresses.path("issuer").asText();
              if (!named.equals(settings.issuer())) {
                return away("it says that it is the issuer \"" + named + "\"");
              }
              return get(addresses.path("jwks_uri").asText())
                  .map(keys -> new Known(addresses, keys(keys), now, ahead));
            });
  }

  private List<JsonWebKey> keys(JsonNode keys) {
    List<JsonWebKey> all;
    try {
      all = new JsonWebKeySet(keys.toString()).getJsonWebKeys();
    } catch (JoseException | ClassCastException e) {
      throw trouble("its keys cannot be read: " + e.getMessage());
    }
    if (all.isEmpty()) {
      throw trouble("it has no key that can be read");
    }
    return all;
  }

  /**
   * The ID token of who has come back from it.
   *
   * @param code that they brought
   * @param verifier whose hash they were sent with (RFC 7636)
   * @param callback where they were sent back to
   * @return fails with {@link Refused} if the code is not taken, with {@link Away}
   */
  Future<String> idToken(String code, String verifier, String callback) {
    return known()
        .compose(
            of -> {
              Map<String, String> form =
                  Map.of(
                      "grant_type", "authorization_code",
                      "code", code,
                      "code_verifier", verifier,
                      "redirect_uri", callback,
                      "client_id", settings.clientId());
              String secret = settings.clientSecret().orElseThrow();
              RequestOptions request = to(of.tokens(), HttpMethod.POST);
              request.putHeader(HttpHeaders.CONTENT_TYPE, "application/x-www-form-urlencoded");
              String body = query(form);
              if (of.takesSecretInForm()) {
                body += "&" + query(Map.of("client_secret", secret));
              } else {
                request.putHeader(
                    HttpHeaders.AUTHORIZATION,
                    basic(encoded(settings.clientId()), encoded(secret)));
              }
              return send(request, Buffer.buffer(body));
            })
        .map(
            answer -> {
              String token = answer.path("id_token").asText();
              if (token.isEmpty()) {
                throw trouble("it gives no id_token; stoker.oidc.scopes names openid?");
              }
              return token;
            });
  }

  private static String basic(String user, String password) {
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  /** Names and values as a query or a form has them. */
  static String query(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(one -> one.getKey() + "=" + encoded(one.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private Future<JsonNode> get(String address) {
    return send(to(address, HttpMethod.GET), Buffer.buffer());
  }

  private RequestOptions to(String address, HttpMethod method) {
    try {
      return new RequestOptions()
          .setMethod(method)
          .setAbsoluteURI(address)
          .setTimeout(ANSWER.toMillis())
          .putHeader(HttpHeaders.ACCEPT, "application/json");
    } catch (RuntimeException noUrl) {
      throw trouble("\"" + address + "\", which it names, is no URL");
    }
  }

  private Future<JsonNode> send(RequestOptions request, Buffer body) {
    return client()
        .request(request)
        // The body is asked for where the answer begins: whoever asks later may have missed it.
        .compose(
            call ->
                call.send(body)
                    .compose(answer -> answer.body().map(content -> read(answer, content))))
        // Whoever calls is never kept waiting, whatever becomes of the connection.
        .timeout(CONNECT.plus(ANSWER).toMillis(), TimeUnit.MILLISECONDS)
        .recover(
            error ->
                error instanceof Refused || error instanceof Away
                    ? Future.failedFuture(error)
                    : away(Fault.sentence(error)));
  }

  private JsonNode read(HttpClientResponse answer, Buffer content) {
    int status = answer.statusCode();
    ahead = ahead(answer);
    try {
      JsonNode json = Json.read(content.getBytes());
      if (status == OK) {
        return json;
      }
      if (status < SERVER_ERROR && json.hasNonNull("error")) {
        throw new Refused(
            (json.path("error").asText() + " " + json.path("error_description").asText()).strip());
      }
    } catch (MalformedJson noJson) {
      LOG.debugf(noJson, "answer %d of the issuer", status);
    }
    throw trouble(
        "it answers %d, and %d bytes that are not what was asked for"
            .formatted(status, content.length()));
  }

  /** What comes from a cache was said at another time. */
  private static OptionalLong ahead(HttpClientResponse answer) {
    String date = answer.getHeader(HttpHeaders.DATE);
    if (date == null || answer.getHeader(HttpHeaders.AGE) != null) {
      return OptionalLong.empty();
    }
    try {
      Instant there = DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
      return OptionalLong.of(Duration.between(Instant.now(), there).toSeconds());
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }

  private synchronized HttpClient client() {
    if (client == null) {
      HttpClientOptions options =
          new HttpClientOptions()
              // It is asked so seldom that a kept connection is most likely closed by then.
              .setKeepAlive(false)
              .setConnectTimeout((int) CONNECT.toMillis())
              .setReadIdleTimeout((int) ANSWER.toSeconds());
      settings.tls().give(options);
      client = vertx.createHttpClient(options);
    }
    return client;
  }

  /** It is not asked anew so soon. */
  Away notAskedSince() {
    return trouble("the JWT is of none of the keys that it named just before; try again");
  }

  private <T> Future<T> away(String why) {
    return Future.failedFuture(trouble(why));
  }

  private Away trouble(String why) {
    return new Away(
        "the issuer of logins, %s, is of no use now: %s".formatted(settings.issuer(), why));
  }
}
