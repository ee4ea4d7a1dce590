package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What scripts and the command line rely on: posting requests, and what they give. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestContractTest extends RestContract {
  @Test
  void aPostedRequestRunsAndItsStatusTellsItsResult() {
    String id = id();
    // No other test has had it run before.
    post(request(id, "first-" + id)).statusCode(202).body("id", equalTo(id));
    awaitState(id, "SUCCEEDED")
        .body("id", equalTo(id))
        .body("version", notNullValue())
        .body("job", notNullValue())
        .body("fingerprint", notNullValue())
        .body("attempt", equalTo(1))
        .body("host", equalTo(host))
        .body("result", equalTo(0.75f))
        .body("score", equalTo(0.75f))
        .body("exitCode", equalTo(0))
        .body("shared", is(false))
        .body("cached", is(false))
        .body("code", nullValue());
  }

  @Test
  void anEqualRequestLaterIsAnsweredAtOnce() {
    String first = id();
    String second = id();
    String work = "work-" + first;
    post(request(first, work)).statusCode(202);
    awaitState(first, "SUCCEEDED");
    post(request(second, work)).statusCode(202);
    awaitState(second, "SUCCEEDED").body("cached", is(true)).body("shared", is(true));
  }

  @Test
  void aPostOfThousandsIsAcceptedWhole() {
    String run = id().substring(0, 13);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 15_000; i++) {
      // They wait for what never comes, so that they take no other test's time.
      lines.append(
          "{\"id\":\"%1$s-%2$d\",\"command\":[\"%1$s\"],\"dependsOn\":[\"%1$s\"]}\n"
              .formatted(run, i));
    }
    for (int time = 0; time < 2; time++) {
      given()
          .contentType("application/x-ndjson")
          .body(lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8))
          .when()
          .post("/requests")
          .then()
          .statusCode(202)
          .body("ids.size()", equalTo(15_000));
    }
  }

  @Test
  void anArrayAndLinesArePostedWhole() {
    String a = id();
    String b = id();
    post("[" + request(a, "x") + "," + request(b, "y") + "]")
        .statusCode(202)
        .body("ids", equalTo(java.util.List.of(a, b)));
    String c = id();
    String d = id();
    given()
        .contentType("application/x-ndjson")
        .body((request(c, "x") + "\n\n" + request(d, "y") + "\n").getBytes())
        .post("/requests")
        .then()
        .statusCode(202)
        .body("ids", equalTo(java.util.List.of(c, d)));
    for (String id : java.util.List.of(a, b, c, d)) {
      awaitState(id, "SUCCEEDED");
    }
  }

  @Test
  void aBadRequestIsToldByFieldValueAndWhatWasExpected() {
    post("{\"id\":\"" + id() + "\",\"command\":[\"true\"],\"resources\":{\"memory\":\"4Gb\"}}")
        .statusCode(400)
        .body("field", equalTo("resources.memory"))
        .body("value", equalTo("\"4Gb\""))
        .body("expected", notNullValue())
        .body("message", containsString("resources.memory"));
    post("not json").statusCode(400).body("field", equalTo("request"));
    post("[{\"id\":\"c-1\",\"command\":[\"x\"],\"dependsOn\":[\"c-2\"]},"
            + "{\"id\":\"c-2\",\"command\":[\"x\"],\"dependsOn\":[\"c-1\"]}]")
        .statusCode(400)
        .body("field", equalTo("dependsOn"))
        .body("value", equalTo("c-1 -> c-2 -> c-1"));
    given()
        .get("/requests/{id}/results", "a\0b")
        .then()
        .statusCode(400)
        .body("field", equalTo("id"))
        .body("expected", equalTo("text without NUL characters"));
    post("[]").statusCode(400).body("message", containsString("at least one request"));
    post("").statusCode(400);
  }

  @Test
  void ofSeveralNoneIsPostedIfOneIsBad() {
    String good = id();
    post("[" + request(good, "x") + ",{\"id\":\"-\",\"gpus\":1}]").statusCode(400);
    String later = id();
    post(request(later, "x")).statusCode(202);
    awaitState(later, "SUCCEEDED");
    given().get("/requests/{id}", good).then().statusCode(404);
  }

  @Test
  void anIdBelongsToItsContent() {
    String id = id();
    post(request(id, "one")).statusCode(202);
    awaitState(id, "SUCCEEDED");
    post(request(id, "one")).statusCode(202);
    post(request(id, "other"))
        .statusCode(409)
        .body("field", equalTo("id"))
        .body("value", equalTo(id))
        .body("message", containsString("other content"));
    post("[" + request("twice-" + id, "a") + "," + request("twice-" + id, "b") + "]")
        .statusCode(409);
  }

  @Test
  void whatIsUnknownIsNotFound() {
    String id = "nobody-posted-" + id();
    given().get("/requests/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().delete("/requests/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/requests/{id}/logs", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/requests/{id}/details", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/explain/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/requests/{id}/retry", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/requests/{id}/forget", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/hosts/{host}/cordon", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/no-such-page").then().statusCode(404).body(not(containsString("Exception")));
  }

  @Test
  void whatIsWrongIsAProblemThatPeopleAndProgramsRead() {
    post("{\"id\":\"" + id() + "\",\"comand\":[\"true\"]}")
        .statusCode(400)
        .contentType("application/problem+json")
        .body("type", equalTo("urn:stoker:problem:invalid"))
        .body("title", notNullValue())
        .body("status", equalTo(400))
        .body("detail", containsString("comand"))
        .body("message", containsString("comand"));
    given()
        .get("/requests/{id}", "nobody-" + id())
        .then()
        .statusCode(404)
        .contentType("application/problem+json")
        .body("type", equalTo("urn:stoker:problem:not-found"));
    given()
        .delete("/requests")
        .then()
        .statusCode(405)
        .contentType("application/problem+json")
        .body("title", equalTo("Method Not Allowed"));
  }

  @Test
  void aParameterThatACallDoesNotHaveIsNamed() {
    given()
        .queryParam("stat", "failed")
        .get("/requests")
        .then()
        .statusCode(400)
        .body("field", equalTo("stat"))
        .body("value", equalTo("failed"))
        .body("expected", containsString("group, "))
        .body("expected", containsString("state"));
    given()
        .queryParam("limit", 3)
        .get("/queues")
        .then()
        .statusCode(400)
        .body("expected", equalTo("no parameters"));
    given()
        .queryParam("follow", "yes")
        .get("/requests/{id}/logs", id())
        .then()
        .statusCode(400)
        .body("expected", equalTo("true or false"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b",
        "application/xml",
        ""
      })
  void aBodyOfAnotherTypeIsNotTaken(String type) throws Exception {
    String id = id();
    HttpResponse<String> answer = send(type, Optional.empty(), request(id, "work").getBytes());

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(answer.body())
        .contains("\"field\":\"Content-Type\"", "application/json or ", "application/x-ndjson");
    given()
        .contentType("text/plain")
        .body("{\"priority\":1}")
        .post("/requests/{id}/priority", id)
        .then()
        .statusCode(415)
        .body("expected", equalTo("application/json"));
    given().get("/requests/{id}", id).then().statusCode(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/cloudevents+json",
        "application/x-ndjson",
        "application/jsonl"
      })
  void theseTypesAreTaken(String type) throws Exception {
    HttpResponse<String> answer = send(type, Optional.empty(), request(id(), "typed").getBytes());

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
  }

  @Test
  void aPageOfAnotherSiteChangesNothing() throws Exception {
    byte[] body = request(id(), "work").getBytes();
    HttpResponse<String> other = send("application/json", Optional.of("https://evil.test"), body);
    assertThat(other.statusCode()).isEqualTo(403);
    assertThat(other.body()).contains("urn:stoker:problem:foreign-page", "https://evil.test");
    assertThat(send("application/json", Optional.of("null"), body).statusCode()).isEqualTo(403);
    assertThat(send("application/json", Optional.of(own()), body).statusCode()).isEqualTo(202);
    given().header("Origin", "https://evil.test").post("/groups/{g}", id()).then().statusCode(403);
  }

  @Test
  void call_ofAPageOfAnotherSite_isRefused() {
    given()
        .header("Sec-Fetch-Site", "cross-site")
        .header("Sec-Fetch-Mode", "no-cors")
        .post("/requests/{id}/forget", id())
        .then()
        .statusCode(403)
        .body("field", equalTo("Sec-Fetch-Site"));
    given().header("Origin", "https://evil.test").get("/requests").then().statusCode(403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/requests", "/requests/unknown", "/q/health", "/q/openapi", "/nothing"})
  void answer_ofAnyCall_tellsBrowsersToRunAndKeepNothing(String path) {
    given()
        .noFilters()
        .get(path)
        .then()
        .header("Content-Security-Policy", equalTo("default-src 'none'; frame-ancestors 'none'"))
        .header("X-Content-Type-Options", equalTo("nosniff"))
        .header("Cache-Control", equalTo("no-store"))
        .header("Access-Control-Allow-Origin", nullValue());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GET /requests", "POST /requests", "GET /q/health/live", "GET /q/metrics"})
  void call_byAForeignName_isRefused(String call) {
    given()
        .header("Host", "rebound.evil.example:" + RestAssured.port)
        .header("Origin", "http://rebound.evil.example:" + RestAssured.port)
        .contentType(ContentType.JSON)
        .body(request(id(), "work"))
        .request(call.split(" ")[0], call.split(" ")[1])
        .then()
        .statusCode(403)
        .body("type", equalTo("urn:stoker:problem:foreign-name"))
        .body("field", equalTo("Host"))
        .body("detail", containsString("stoker.http.names"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBodyThatIsTooLargeIsToldHowLargeItMayBe(boolean chunked) throws Exception {
    byte[] large = new byte[2 * 1024 * 1024 + 1];
    BodyPublisher body =
        chunked
            ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))
            : BodyPublishers.ofByteArray(large);
    HttpResponse<String> answer = send("application/json", Optional.empty(), body);

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(answer.body())
        .contains("urn:stoker:problem:too-large", "\"field\":\"body\"", "at most 2097152 bytes");
  }

  private static HttpResponse<String> send(String type, Optional<String> origin, byte[] body)
      throws Exception {
    return send(type, origin, BodyPublishers.ofByteArray(body));
  }

  /** As any client may; without a type if it is empty. */
  private static HttpResponse<String> send(String type, Optional<String> origin, BodyPublisher body)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(own() + "/requests")).POST(body);
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }
    origin.ifPresent(page -> request.header("Origin", page));
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return http.send(request.build(), BodyHandlers.ofString());
    }
  }

  /** As Java's own client is by default, which asks for HTTP/2 by an upgrade. */
  @Test
  void withoutTls_isSpokenToInHttp1() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(own() + "/requests")).build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
  }

  private static String own() {
    return "http://localhost:" + RestAssured.port;
  }

  @Test
  void allThatIsKnownOfARequestIsShown() {
    String first = id();
    String second = id();
    String work = "shown-" + first;
    post("{\"id\":\"%s\",\"command\":[\"%s\"],\"user\":\"ann\",\"labels\":{\"of\":\"us\"},"
                .formatted(first, work)
            + "\"env\":{\"EPOCHS\":\"3\",\"HF_TOKEN\":\"hf_abc\"}}")
        .statusCode(202);
    awaitState(first, "SUCCEEDED");
    given()
        .get("/requests/{id}/details", first)
        .then()
        .statusCode(200)
        .body("status.state", equalTo("SUCCEEDED"))
        .body("request.user", equalTo("ann"))
        .body("request.command", equalTo(java.util.List.of(work)))
        .body("request.env.EPOCHS", equalTo("3"))
        .body("request.env.HF_TOKEN", equalTo("(hidden)"))
        .body("postedAt", notNullValue())
        .body("answeredBy", nullValue())
        .body("attempts.size()", is(1))
        .body("attempts[0].number", is(1))
        .body("attempts[0].host", equalTo(host))
        .body("attempts[0].stage", equalTo("SUCCEEDED"))
        .body("attempts[0].exitCode", is(0))
        .body("attempts[0].endedAt", notNullValue())
        .body("attemptsLeftOut", nullValue());

    post(("{\"id\":\"%s\",\"command\":[\"%s\"],\"dependsOn\":[\"%s\"],"
                + "\"env\":{\"EPOCHS\":\"3\",\"HF_TOKEN\":\"hf_abc\"}}")
            .formatted(second, work, first))
        .statusCode(202);
    awaitState(second, "SUCCEEDED");
    given()
        .get("/requests/{id}/details", second)
        .then()
        .body(
            "dependencies", equalTo(java.util.List.of(Map.of("id", first, "state", "SUCCEEDED"))));
    String equal = id();
    post("{\"id\":\"%s\",\"command\":[\"%s\"],\"env\":{\"EPOCHS\":\"3\",\"HF_TOKEN\":\"hf_abc\"}}"
            .formatted(equal, work))
        .statusCode(202);
    awaitState(equal, "SUCCEEDED");
    given()
        .get("/requests/{id}/details", equal)
        .then()
        .body("answeredBy.request", equalTo(first))
        .body("answeredBy.cached", is(true))
        .body("attempts[0].host", equalTo(host));
  }

  @Test
  void theOutputOfAJobIsShown() {
    String id = id();
    post(request(id, "work-" + id)).statusCode(202);
    awaitState(id, "SUCCEEDED");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/requests/{id}/logs", id)
                    .then()
                    .statusCode(200)
                    .contentType(ContentType.TEXT)
                    .body(equalTo("done\n")));
    given()
        .queryParam("json", true)
        .queryParam("follow", true)
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .contentType("application/x-ndjson")
        .body(containsString("\"request\":\"" + id + "\""))
        .body(containsString("\"last\":true"));
    String lines = given().queryParam("json", true).get("/requests/{id}/logs", id).asString();
    given()
        .accept("application/x-ndjson")
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .contentType("application/x-ndjson")
        .body(equalTo(lines));
    given()
        .accept("application/x-ndjson, text/plain")
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .contentType(ContentType.TEXT)
        .body(equalTo("done\n"));
  }

  @Test
  void outputIsGivenAsNothingButTextAndLines() {
    String id = id();
    post(request(id, "typed-" + id)).statusCode(202);
    awaitState(id, "SUCCEEDED");

    given().noFilters().accept("image/png").get("/requests/{id}/logs", id).then().statusCode(406);
  }

  @Test
  void followingAJobEndsWithIt() {
    String id = id();
    post(request(id, "follow-" + id)).statusCode(202);
    await().atMost(SOON).until(() -> given().get("/requests/{id}", id).statusCode() == 200);
    given()
        .queryParam("follow", true)
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .body(equalTo("done\n"));
  }
}
