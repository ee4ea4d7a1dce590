package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.stoker.cli.local.FreePorts;
import io.stoker.common.fixture.Chromium;
import io.stoker.common.security.AccessTokens;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.testing.Accessibility;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.service.testing.SmallIssuer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logins by an OpenID Connect issuer, beside tokens. */
@QuarkusTest
@OnRealServices
@TestProfile(OidcLoginTest.WithIssuer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OidcLoginTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String CLIENT = "stoker";
  private static final String SECRET = "s3cret: &+";
  private static final String SESSION = "stoker-session";
  private static final String BEGUN = "stoker-oidc";

  /** Wrong tokens come from addresses of their own, of which each may send ten. */
  private static final AtomicInteger ADDRESSES = new AtomicInteger(20);

  @ConfigProperty(name = "stoker.oidc.issuer")
  String address;

  @TestHTTPResource("/")
  URI dispatcher;

  private SmallIssuer issuer;
  private HttpResponse<String> beforeTheIssuer;
  private HttpResponse<String> ownTokenBeforeTheIssuer;

  /** An issuer that is not there when the dispatcher starts; of another site than it is. */
  public static class WithIssuer extends AccessTest.WithTokens {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> settings = new HashMap<>(super.getConfigOverrides());
      settings.put("stoker.oidc.issuer", "http://localhost:" + FreePorts.one() + "/realm");
      settings.put("stoker.oidc.client-id", CLIENT);
      settings.put("stoker.oidc.client-secret", SECRET);
      settings.put("stoker.oidc.roles-claim", "access.groups");
      settings.put("stoker.oidc.roles.read", "staff,/odd.name");
      settings.put("stoker.oidc.roles.submit", "gpu-users,team-lab");
      settings.put("stoker.oidc.roles.operate", "gpu-ops");
      settings.put("stoker.oidc.roles.admin", "gpu-admins");
      settings.put("stoker.oidc.queues.team-lab", "lab");
      for (String all : List.of("staff", "gpu-users", "gpu-ops", "\"/odd.name\"")) {
        settings.put("stoker.oidc.queues." + all, "*");
      }
      return settings;
    }
  }

  @BeforeAll
  void startIssuer() throws Exception {
    issuer = new SmallIssuer(address, CLIENT, SECRET);
    String anns = issuer.sign(person("ann", "staff"));
    beforeTheIssuer = whoami(anns);
    ownTokenBeforeTheIssuer = whoami(AccessTokens.PREFIX + "reader");
    issuer.start();
    await().atMost(SOON).until(() -> whoami(anns).statusCode() == 200);
  }

  @AfterAll
  void stopIssuer() throws IOException {
    issuer.close();
  }

  private static Map<String, Object> person(String name, String... groups) {
    return Map.of("preferred_username", name, "access", Map.of("groups", List.of(groups)));
  }

  private static Map<String, Object> person(Map<String, Object> with) {
    Map<String, Object> all = new HashMap<>(person("ann", "gpu-admins", "staff"));
    all.putAll(with);
    return all;
  }

  /** From an address of its own. */
  private HttpResponse<String> whoami(String token) throws Exception {
    try (HttpClient http = from(ADDRESSES.incrementAndGet())) {
      return whoami(http, token);
    }
  }

  private static HttpClient from(int address) throws Exception {
    return HttpClient.newBuilder()
        .localAddress(
            InetAddress.getByName("127.0.%d.%d".formatted(address / 250, 1 + address % 250)))
        .build();
  }

  private HttpResponse<String> whoami(HttpClient http, String token) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(dispatcher.resolve("/whoami"))
            .header("Authorization", "Bearer " + token)
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  private static RequestSpecification with(String token) {
    return given().header("Authorization", "Bearer " + token);
  }

  private static RequestSpecification as(String name) {
    return with(AccessTokens.PREFIX + name);
  }

  @Test
  void start_withoutTheIssuer_servesTokensAndSaysThatItIsAway() {
    assertThat(beforeTheIssuer.statusCode()).isEqualTo(503);
    assertThat(beforeTheIssuer.body()).contains("urn:stoker:problem:unavailable", address);
    assertThat(ownTokenBeforeTheIssuer.statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "staff,             read,    ''",
    "/odd.name,         read,    ''",
    "gpu-users,         submit,  ''",
    "team-lab,          submit,  lab",
    "team-lab gpu-ops,  operate, ''",
    "gpu-ops staff hr,  operate, ''",
    "staff gpu-admins,  admin,   ''",
  })
  void token_ofAPersonInGroups_hasTheHighestRoleOfThese(String groups, String role, String queues) {
    with(issuer.sign(person("ann.b@example.com", groups.split(" "))))
        .get("/whoami")
        .then()
        .statusCode(200)
        .body("name", equalTo("ann.b@example.com"))
        .body("role", equalTo(role))
        .body("queues", equalTo(queues.isEmpty() ? List.of() : List.of(queues)));
  }

  @Test
  void token_withoutAUsername_isNamedByItsSubject() {
    Map<String, Object> claims = Map.of("sub", "7f-3", "access", Map.of("groups", "staff"));
    with(issuer.sign(claims)).get("/whoami").then().body("name", equalTo("7f-3"));
  }

  @Test
  void token_ofNoRole_isToldWhatItsClaimSays() {
    with(issuer.sign(person("ann", "hr")))
        .get("/whoami")
        .then()
        .statusCode(403)
        .body("type", equalTo("urn:stoker:problem:not-allowed"))
        .body("field", equalTo("access.groups"))
        .body("value", equalTo("[hr]"));
    with(issuer.sign(Map.of("preferred_username", "ann")))
        .get("/whoami")
        .then()
        .statusCode(403)
        .body("value", equalTo("none"));
    with(issuer.sign(person("ann", "hr"))).get("/q/metrics").then().statusCode(403);
    with(issuer.sign(person("ann", "gpu-admins")))
        .get("/whoami")
        .then()
        .statusCode(403)
        .body("detail", containsString("stoker.oidc.queues"));
  }

  @Test
  void token_ofANameThatNoTokenCanHave_isRefused() {
    with(issuer.sign(person("ann b", "staff")))
        .get("/whoami")
        .then()
        .statusCode(403)
        .body("field", equalTo("preferred_username"))
        .body("value", equalTo("[ann b]"));
  }

  @Test
  void token_thatIsNotTheIssuersForHereAndNow_isRefused() throws Exception {
    long now = Instant.now().getEpochSecond();
    Map<String, Object> good = person(Map.of());
    String signed = issuer.sign(good);
    Map<String, String> wrong = new HashMap<>();
    wrong.put(issuer.forge(good), "signature is wrong");
    wrong.put(issuer.unsigned(good), "a JWT that is");
    wrong.put(issuer.signedByPublicKey(good), "a JWT that is");
    wrong.put(signed.substring(0, signed.lastIndexOf('.') + 1), "signature is wrong");
    wrong.put(issuer.sign(person(Map.of("aud", "another"))), "for the audience [another]");
    wrong.put(issuer.sign(person(Map.of("iss", "https://evil.example"))), "https://evil.example");
    wrong.put(issuer.sign(person(Map.of("exp", now - 60))), "expired at");
    wrong.put(issuer.sign(person(Map.of("nbf", now + 600))), "a JWT that is wrong");
    wrong.put(issuer.sign(person(Map.of("exp", "soon"))), "a JWT");
    wrong.put("a.b.c", "a JWT that is wrong");
    for (Map.Entry<String, String> one : wrong.entrySet()) {
      HttpResponse<String> answer = whoami(one.getKey());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
      assertThat(answer.body()).contains("urn:stoker:problem:login", one.getValue());
      assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }
    assertThat(whoami(signed).statusCode()).as("but for that").isEqualTo(200);
  }

  @Test
  void guesses_areHeldUpAndTokensThatHaveExpiredAreNone() throws Exception {
    String right = issuer.sign(person("ann", "staff"));
    try (HttpClient http = from(ADDRESSES.incrementAndGet())) {
      String expired =
          issuer.sign(person(Map.of("exp", Instant.now().minusSeconds(60).getEpochSecond())));
      for (int i = 0; i < 12; i++) {
        assertThat(whoami(http, expired).statusCode()).isEqualTo(401);
      }
      assertThat(whoami(http, right).statusCode()).isEqualTo(200);
      HttpResponse<String> answer = whoami(http, issuer.forge(person("ann", "staff")));
      for (int i = 0; i < 20 && answer.statusCode() == 401; i++) {
        answer = whoami(http, "a.b." + i);
      }
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After").orElseThrow()).matches("[0-9]+");
      assertThat(whoami(http, AccessTokens.PREFIX + "bea").statusCode()).isEqualTo(429);
      assertThat(whoami(http, right).statusCode()).as("right before").isEqualTo(200);
    }
  }

  @Test
  void token_ofTheFile_goesOnBesideTheIssuer() {
    as("operator").get("/whoami").then().statusCode(200).body("role", equalTo("operate"));
    given()
        .get("/whoami")
        .then()
        .statusCode(401)
        .body("detail", containsString("Authorization: none"));
  }

  @Test
  void request_ofAPerson_isTheirsHoweverTheyLogIn() {
    String id = UUID.randomUUID().toString();
    with(issuer.sign(person("ann", "gpu-users")))
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"%s\"]}".formatted(id, id))
        .post("/requests")
        .then()
        .statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> as("reader").get("/requests/{id}", id).then().body("sentBy", equalTo("ann")));
    with(issuer.sign(person("bea", "gpu-users")))
        .delete("/requests/{id}", id)
        .then()
        .statusCode(403);
    as("ann").delete("/requests/{id}", id).then().statusCode(202);
  }

  @Test
  void post_toAQueueThatIsNotThePersons_isRefused() {
    with(issuer.sign(person("leo", "team-lab")))
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"x\"]}".formatted(UUID.randomUUID()))
        .post("/requests")
        .then()
        .statusCode(403)
        .body("field", equalTo("queue"));
  }

  @Test
  void issuer_thatIsAwayLater_isNotNeededForTokensOfKeysThatAreKnown() throws Exception {
    issuer.close();
    try {
      with(issuer.sign(person("ann", "staff"))).get("/whoami").then().statusCode(200);
      assertThat(whoami(issuer.forgeUnknown(person("ann", "staff"))).statusCode()).isEqualTo(503);
    } finally {
      issuer.start();
    }
  }

  @Test
  void key_thatIsNone_isAskedFor() {
    String token = issuer.forgeUnknown(person("ann", "staff"));
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> assertThat(whoami(token).body()).contains("signed by none of the issuer's keys"));
  }

  @Test
  void key_thatIsNew_isAskedFor() {
    issuer.rotate();
    String token = issuer.sign(person("ann", "staff"));
    await().atMost(SOON).until(() -> whoami(token).statusCode() == 200);
  }

  private static RequestSpecification browser() {
    return given().redirects().follow(false).accept("text/html,*/*;q=0.8");
  }

  /** Has the issuer send a browser back; what it is sent to. */
  private static URI comeBack(Response begun) {
    String there = begun.then().statusCode(303).extract().header("Location");
    return URI.create(
        given().redirects().follow(false).urlEncodingEnabled(false).get(there).header("Location"));
  }

  private static Response end(URI back, String cookie) {
    return browser().cookie(BEGUN, cookie).urlEncodingEnabled(false).get(back);
  }

  @Test
  void page_afterALoginAtTheIssuer_isTheirsUntilTheyLogOut() {
    issuer.logIn(person("ann", "gpu-users"));
    browser()
        .get("/hosts?x=1")
        .then()
        .statusCode(401)
        .body(
            containsString("href=\"/page/oidc?to=%2Fhosts%3Fx%3D1\""), containsString("localhost"));

    Response begun = browser().urlEncodingEnabled(false).get("/page/oidc?to=%2Fhosts%3Fx%3D1");
    assertThat(begun.header("Location"))
        .startsWith(address + "/authorize?")
        .contains("code_challenge_method=S256", "scope=openid+profile");
    assertThat(begun.header("Set-Cookie"))
        .containsIgnoringCase("HttpOnly")
        .contains("SameSite=Lax", "Path=/page/oidc");
    Response ended = end(comeBack(begun), begun.cookie(BEGUN));
    ended.then().statusCode(303).header("Location", equalTo("/hosts?x=1"));
    assertThat(ended.headers().getValues("Set-Cookie"))
        .anyMatch(one -> one.startsWith(SESSION) && one.contains("SameSite=Strict"))
        .anyMatch(one -> one.startsWith(BEGUN + "=;") && one.contains("Max-Age=0"));

    String session = ended.cookie(SESSION);
    browser()
        .cookie(SESSION, session)
        .get("/hosts")
        .then()
        .statusCode(200)
        .body(containsString("<span>ann</span>"));
    // The cookie alone changes nothing, nor does a form without its key.
    given().cookie(SESSION, session).post("/reload").then().statusCode(401);
    browser()
        .cookie(SESSION, session)
        .formParam("key", "x")
        .post("/page/logout")
        .then()
        .statusCode(403);
    browser()
        .cookie(SESSION, session)
        .formParam("key", SessionCookie.key(session))
        .post("/page/logout")
        .then()
        .statusCode(303)
        .header("Set-Cookie", containsString("Max-Age=0"));
  }

  @Test
  void login_thatLeadsToAnotherSite_leadsHere() {
    issuer.logIn(person("ann", "staff"));
    Response begun = browser().queryParam("to", "//evil.example/").get("/page/oidc");
    end(comeBack(begun), begun.cookie(BEGUN)).then().header("Location", equalTo("/"));
  }

  @Test
  void session_ofATokenThatExpires_isOver() {
    issuer.logIn(person(Map.of("exp", Instant.now().getEpochSecond() - 60)));
    Response begun = browser().get("/page/oidc");
    Response ended = end(comeBack(begun), begun.cookie(BEGUN));
    ended.then().statusCode(401).body(containsString("expired at"));
    assertThat(ended.cookie(SESSION)).isNull();

    String expired =
        issuer.sign(person(Map.of("exp", Instant.now().minusSeconds(60).getEpochSecond())));
    browser()
        .cookie(SESSION, expired)
        .get("/hosts")
        .then()
        .statusCode(401)
        .body(containsString("Not taken: a JWT that expired at"))
        .header("Set-Cookie", containsString("Max-Age=0"));
  }

  @Test
  void session_ofARoleThatIsGone_isForgotten() {
    browser()
        .cookie(SESSION, issuer.sign(person("ann", "hr")))
        .get("/hosts")
        .then()
        .statusCode(403)
        .body(containsString("access.groups: [hr]"))
        .header("Set-Cookie", containsString("Max-Age=0"));
  }

  @Test
  void login_thatAnotherBrowserBegan_isRefused() {
    issuer.logIn(person("mallory", "staff"));
    Response mallorys = browser().get("/page/oidc");
    URI back = comeBack(mallorys);
    Response own = browser().get("/page/oidc");
    for (String cookie : List.of(own.cookie(BEGUN), "x", ".", "no-session.Lw")) {
      Response ended = end(back, cookie);
      ended.then().statusCode(401).body(containsString("did not begin"));
      assertThat(ended.cookie(SESSION)).isNull();
    }
    browser().urlEncodingEnabled(false).get(back).then().statusCode(401);
    end(back, mallorys.cookie(BEGUN)).then().statusCode(303);
    end(back, mallorys.cookie(BEGUN)).then().statusCode(401).body(containsString("invalid_grant"));
  }

  @Test
  void wellness_tellsOfTheIssuer_andReadinessDoesNot() {
    given()
        .get("/q/health/well")
        .then()
        .statusCode(200)
        .body("checks.find { it.name == 'logins' }.data", equalTo(Map.of("issuer", address)));
    given().get("/q/health/ready").then().body("checks.name", not(hasItem("logins")));
  }

  @Test
  void login_ofAnotherNonce_isRefused() {
    issuer.logIn(person(Map.of("nonce", "of another login")));
    Response begun = browser().get("/page/oidc");
    end(comeBack(begun), begun.cookie(BEGUN))
        .then()
        .statusCode(401)
        .body(containsString("an ID token of another login"));
  }

  @Test
  void login_ofNoRole_isToldSo() {
    issuer.logIn(person("ann", "hr"));
    Response begun = browser().get("/page/oidc");
    Response ended = end(comeBack(begun), begun.cookie(BEGUN));
    ended.then().statusCode(403).body(containsString("access.groups: [hr]"));
    assertThat(ended.cookie(SESSION)).isNull();
  }

  @Test
  void login_thatTheIssuerRefuses_saysWhy() {
    Response begun = browser().get("/page/oidc");
    String state = comeBack(begun).getQuery().replaceFirst("(.*&)?state=([^&]*).*", "$2");
    browser()
        .cookie(BEGUN, begun.cookie(BEGUN))
        .get("/page/oidc/back?error=access_denied&error_description=x&state=" + state)
        .then()
        .statusCode(401)
        .body(containsString("localhost says: access_denied"), not(containsString("<script")));
  }

  @Test
  void login_inABrowser_leadsToThePage() throws Exception {
    Path program = Chromium.program();
    issuer.logIn(person("ann", "staff"));
    try (Chromium browser = Chromium.start(program);
        Chromium.Tab tab = browser.open(1200, 800)) {
      String view = "http://127.0.0.1:" + RestAssured.port + "/requests?queue=default";
      tab.go(view);
      assertThat(new Accessibility(tab).violations()).isEmpty();
      tab.go(view);
      tab.tabTo("a[href^='/page/oidc']");
      tab.press("Enter");
      tab.await("location.search === '?queue=default' && document.querySelector('form.who')");
      assertThat(tab.run("document.querySelector('form.who span').textContent").asText())
          .isEqualTo("ann");
      assertThat(tab.complaints()).noneMatch(one -> one.contains("Content Security Policy"));
    }
  }
}
