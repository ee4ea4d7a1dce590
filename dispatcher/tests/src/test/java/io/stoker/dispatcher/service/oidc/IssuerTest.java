package io.stoker.dispatcher.service.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.local.FreePorts;
import io.stoker.dispatcher.service.oidc.IssuedTokens.Flaw;
import io.stoker.dispatcher.service.testing.Certified;
import io.stoker.dispatcher.service.testing.SmallIssuer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IssuerTest {
  private static final String SECRET = "se cret&";
  private static final String BACK = "http://127.0.0.1:1/back";

  @TempDir Path folder;

  private final int port = FreePorts.one();

  /** Vert.x closes a client that nothing refers to any more, whatever it still waits for. */
  private final List<Issuer> held = new ArrayList<>();

  private final AtomicLong now = new AtomicLong();

  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Issuer asking(String address, Map<String, String> more) {
    Issuer issuer = new Issuer(settings(address, more), vertx, now::get);
    held.add(issuer);
    return issuer;
  }

  private static OidcSettings settings(String address, Map<String, String> more) {
    Map<String, String> keys = new HashMap<>(more);
    keys.put("issuer", address);
    keys.put("client-id", "stoker");
    keys.put("client-secret", SECRET);
    return OidcSettingsTest.of(keys);
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void known_byTls_isOfACertificateOfTheAuthorityAlone() throws Exception {
    String address = "https://127.0.0.1:" + port;
    Path authority = Certified.authority(folder, "own");
    try (SmallIssuer issuer = new SmallIssuer(address, "stoker", SECRET)) {
      issuer.start(Certified.serving(folder, "own"));

      Issuer believing = asking(address, Map.of("ca", authority.toString()));
      assertThat(get(believing.known()).keys()).hasSize(1);
      assertThatThrownBy(() -> get(asking(address, Map.of()).known()))
          .hasCauseInstanceOf(Issuer.Away.class)
          .hasMessageContaining(address);
    }
  }

  @Test
  void known_ofAnIssuerThatNamesItselfOtherwise_isNothing() throws Exception {
    String address = "http://127.0.0.1:" + port;
    try (SmallIssuer issuer = new SmallIssuer(address, "stoker", SECRET)) {
      issuer.start();

      assertThatThrownBy(() -> get(asking(address + "/", Map.of()).known()))
          .hasCauseInstanceOf(Issuer.Away.class)
          .hasMessageContaining("it says that it is the issuer \"" + address + "\"");
    }
  }

  @Test
  void trouble_ofAnIssuer_isWhatKeepsPeopleFromLoggingIn() throws Exception {
    String address = "http://127.0.0.1:" + port;
    assertThat(get(asking(address, Map.of()).trouble()).orElseThrow())
        .startsWith("the issuer of logins, " + address)
        .contains("refused");
    try (SmallIssuer issuer = new SmallIssuer(address, "stoker", SECRET)) {
      issuer.start();

      assertThat(get(asking(address, Map.of()).trouble())).isEmpty();
      assertThat(get(asking(address + "/", Map.of()).trouble()).orElseThrow())
          .contains("it says that it is the issuer \"" + address + "\"");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"keys\":[]} | 0 | it has no key that can be read",
        "{\"keys\":7} | 0 | its keys cannot be read",
        "KEY | 100 | ahead of that of this dispatcher, and 30 s are allowed for",
        "KEY | -100 | behind that of this dispatcher, and 30 s are allowed for"
      })
  void trouble_ofAnIssuerThatSaysSuch_namesIt(String keys, long ahead, String sentence)
      throws Exception {
    String address = "http://127.0.0.1:" + port;
    String key = "{\"keys\":[{\"kty\":\"oct\",\"k\":\"YWFh\"}]}";
    String discovery =
        "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/keys\",\"authorization_endpoint\":\"x\"}"
            .formatted(address);
    String now =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            OffsetDateTime.now(ZoneOffset.UTC).plusSeconds(ahead));
    get(
        vertx
            .createHttpServer()
            .requestHandler(
                call ->
                    call.response()
                        .putHeader("Date", now)
                        .end(call.path().equals("/keys") ? keys.replace("KEY", key) : discovery))
            .listen(port, "127.0.0.1"));

    assertThat(get(asking(address, Map.of()).trouble()).orElseThrow())
        .contains("the issuer of logins, " + address, sentence);
  }

  /** Nor may it count against who sends a right one. */
  @Test
  void tokenOfAnUnknownKey_isNoGuessBeforeTheKeysWereReadAnew() throws Exception {
    String address = "http://127.0.0.1:" + port;
    IssuedTokens tokens = new IssuedTokens(settings(address, Map.of()), asking(address, Map.of()));
    SmallIssuer issuer = new SmallIssuer(address, "stoker", SECRET);
    String wrong = issuer.forgeUnknown(Map.of());
    issuer.start();
    get(tokens.claims(issuer.sign(Map.of())));
    issuer.rotate();
    String right = issuer.sign(Map.of());

    now.addAndGet(Issuer.SPACING.toNanos() - 1);
    assertThat(failure(tokens.claims(right))).isInstanceOf(Issuer.Away.class);
    now.incrementAndGet();
    get(tokens.claims(right));
    now.addAndGet(Issuer.SPACING.toNanos() - 1);
    assertThat(failure(tokens.claims(wrong))).isInstanceOf(Issuer.Away.class);
    now.incrementAndGet();
    assertThat(failure(tokens.claims(wrong)))
        .isInstanceOfSatisfying(Flaw.class, flaw -> assertThat(flaw.isGuess()).isTrue());
    issuer.close();
    now.addAndGet(Issuer.SPACING.toNanos());
    assertThat(failure(tokens.claims(wrong))).isInstanceOf(Issuer.Away.class);
  }

  /** Why it fails; null if it does not. */
  private static Throwable failure(Future<?> future) throws Exception {
    try {
      get(future);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  @Test
  void idToken_ofAnIssuerThatTakesTheSecretInAForm_isGiven() throws Exception {
    String address = "http://127.0.0.1:" + port;
    try (SmallIssuer issuer = new SmallIssuer(address, "stoker", SECRET)) {
      issuer.takeSecretInForm();
      issuer.start();

      Future<String> token = asking(address, Map.of()).idToken(code(address, "c", "n"), "c", BACK);
      assertThat(get(token)).contains(".");
      assertThatThrownBy(
              () ->
                  get(
                      asking(address, Map.of())
                          .idToken(code(address, "c", "n"), "another verifier", BACK)))
          .hasCauseInstanceOf(Issuer.Refused.class)
          .hasMessageContaining("invalid_grant");
    }
  }

  /** What a browser brings back that was sent with the hash of a verifier. */
  private static String code(String address, String verifier, String nonce) throws Exception {
    String query =
        "/authorize?state=s&nonce=%s&redirect_uri=%s&code_challenge=%s"
            .formatted(nonce, BACK, SmallIssuer.challenge(verifier));
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(address + query)).build();
      String back =
          http.send(request, BodyHandlers.discarding()).headers().firstValue("Location").get();
      return back.replaceFirst(".*[?]code=([^&]*).*", "$1");
    }
  }
}
