package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two queues that share with nobody, each with a producer who may post to it alone. */
@QuarkusTest
@OnRealServices
@TestProfile(IsolatedQueueTest.Apart.class)
class IsolatedQueueTest extends WithHandAgent {
  private static final String MINE = AccessTokens.PREFIX + "of-apart";
  private static final String THEIRS = AccessTokens.PREFIX + "of-theirs";

  private final String work = Site.unique("work");

  /** Such queues and producers, and topics of statuses of the queues' own. */
  public static class Apart implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path file = Files.createTempFile(Path.of("target").toAbsolutePath(), "tokens", ".json");
        AccessTokens tokens =
            AccessTokens.none().with(token("vault", MINE)).with(token("theirs", THEIRS));
        Files.write(file, Json.bytes(tokens));
        return Map.of(
            "stoker.status.topics", "per-queue",
            "stoker.queues.vault.open", "true",
            "stoker.queues.vault.isolated", "true",
            "stoker.queues.theirs.open", "true",
            "stoker.queues.theirs.isolated", "true",
            "stoker.http.tokens-file", file.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Token token(String queue, String secret) {
      String now = Instant.now().toString();
      String role = AccessRole.SUBMIT.key();
      return new Token(queue, role, List.of(queue), AccessTokens.hash(secret), now, null);
    }
  }

  @Test
  void equalWork_ofAnIsolatedQueue_isSharedWithinItAlone() {
    String open = job("open", "default");
    // Not in vault, which does not let them wait for long.
    String apart = job("apart", "theirs");

    assertThat(apart).isNotEqualTo(open);
    assertThat(job("again", "theirs")).isEqualTo(apart);
    assertThat(job("open again", "default")).isEqualTo(open);
  }

  /** By REST as by its topic: none of it is theirs to submit to, read, cancel, change or share. */
  @Test
  void producer_ofOneQueue_getsNothingOfTheOther() throws Exception {
    String theirs = Site.unique("theirs");
    post(THEIRS, aRequest(theirs).meaning(work).queue("theirs").resource("require", here()))
        .statusCode(202);
    ToAgent.Place place = agent.awaitPlace(theirs, 1);
    assertThat(place.program().claim().sentBy()).as("as whom it may run there").hasValue("theirs");
    agent.accept(place);
    agent.succeed(place);
    site.statuses().await(theirs, RequestState.SUCCEEDED);

    post(MINE, aRequest(Site.unique("into")).queue("theirs"))
        .statusCode(403)
        .body("field", equalTo("queue"))
        .body("value", equalTo("theirs"));
    String into = Site.unique("into");
    site.postTo("vault", waiting(into).queue("theirs"));
    assertThat(site.statuses().await(into, RequestState.QUEUED).queue()).isEqualTo("vault");

    for (String path : List.of("", "/details", "/logs", "/results")) {
      as(MINE).get("/requests/{id}" + path, theirs).then().statusCode(404);
    }
    as(MINE).get("/explain/{id}", theirs).then().statusCode(404);
    assertThat(as(MINE).get("/requests?limit=1000").jsonPath().getList("requests.queue"))
        .isNotEmpty()
        .containsOnly("vault");

    as(MINE).delete("/requests/{id}", theirs).then().statusCode(404);
    for (String change : List.of("retry", "forget", "priority", "result")) {
      as(MINE)
          .contentType(ContentType.JSON)
          .body("{\"priority\":1,\"result\":1}")
          .post("/requests/{id}/" + change, theirs)
          .then()
          .statusCode(404);
    }

    String equal = Site.unique("equal");
    post(MINE, waiting(equal).meaning(work).queue("vault")).statusCode(202);
    assertThat(site.statuses().await(equal, RequestState.QUEUED).shared()).isFalse();
    String keyed = Site.unique("keyed");
    post(MINE, waiting(keyed).meaning(work).key(work).queue("vault")).statusCode(202);
    assertThat(site.statuses().await(keyed, RequestState.QUEUED).shared()).isFalse();
  }

  @Test
  void dependency_onARequestOfTheOtherQueue_isRefused() {
    String theirs = Site.unique("theirs");
    post(THEIRS, waiting(theirs).queue("theirs")).statusCode(202);
    site.statuses().await(theirs, RequestState.QUEUED);

    String byRest = Site.unique("by-rest");
    post(MINE, aRequest(byRest).queue("vault").dependsOn(theirs)).statusCode(202);
    String byKafka = Site.unique("by-kafka");
    site.postTo("vault", aRequest(byKafka).dependsOn(theirs));

    for (String mine : List.of(byRest, byKafka)) {
      RequestStatus refused = site.statuses().await(mine, RequestState.REJECTED);
      assertThat(refused.code()).isEqualTo(Code.INVALID_REQUEST);
      assertThat(refused.reason())
          .contains(
              "dependsOn: %s, expected ids of requests that share with queue vault"
                  .formatted(theirs));
    }
  }

  /** It would count there, end with it, and hide it from those who see their queue alone. */
  @Test
  void request_intoAGroupOfTheOtherQueue_isRefused() {
    String group = Site.unique("group");
    String theirs = Site.unique("theirs");
    post(THEIRS, waiting(theirs).queue("theirs").with("group", group)).statusCode(202);
    site.statuses().await(theirs, RequestState.QUEUED);

    post(MINE, waiting(Site.unique("by-rest")).queue("vault").with("group", group))
        .statusCode(403)
        .body("field", equalTo("group"))
        .body("value", equalTo(group));
    String byKafka = Site.unique("by-kafka");
    site.postTo("vault", waiting(byKafka).with("group", group));
    RequestStatus refused = site.statuses().await(byKafka, RequestState.REJECTED);
    assertThat(refused.code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(refused.reason())
        .contains("group: %s, expected a group of requests that share".formatted(group));

    for (String path : List.of("/groups/{g}", "/groups/{g}/report", "/groups/{g}/report.csv")) {
      as(THEIRS).get(path, group).then().statusCode(200);
      as(MINE).get(path, group).then().statusCode(404);
    }
    as(MINE).get("/page/changes?of=group&name={g}", group).then().statusCode(404);
    for (String change : List.of("stop", "close", "rerun-best", "retries?limit=0")) {
      as(MINE).post("/groups/{g}/" + change, group).then().statusCode(404);
    }
    as(MINE)
        .contentType(ContentType.JSON)
        .body("{\"after\":\"%s\"}".formatted(group))
        .post("/groups/{g}", Site.unique("after"))
        .then()
        .statusCode(403)
        .body("field", equalTo("group"));
    as(THEIRS).post("/groups/{g}/stop", group).then().statusCode(202);
    site.statuses().await(theirs, RequestState.CANCELLED);
  }

  @Test
  void dependency_thatComesIntoTheOtherQueueLater_tellsNothingOfItself() {
    String theirs = Site.unique("theirs");
    String mine = Site.unique("mine");
    post(MINE, aRequest(mine).queue("vault").dependsOn(theirs)).statusCode(202);
    site.statuses().await(mine, RequestState.WAITING);
    post(THEIRS, waiting(theirs).queue("theirs")).statusCode(202);
    site.statuses().await(theirs, RequestState.QUEUED);

    as(MINE)
        .get("/requests/{id}/details", mine)
        .then()
        .statusCode(200)
        .body("dependencies[0].id", equalTo(theirs))
        .body("dependencies[0].state", nullValue());
    as(MINE).get("/explain/{id}", mine).then().statusCode(200).body(not(containsString("QUEUED")));
    as(THEIRS).delete("/requests/{id}", theirs).then().statusCode(202);

    RequestStatus ended = site.statuses().await(mine, RequestState.FAILED);
    assertThat(ended.code()).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(ended.reason()).startsWith("dependsOn: " + theirs);
  }

  /** No host may run it, so it is in line for as long as the test goes on. */
  private static ARequest waiting(String id) {
    return aRequest(id).resource("require", Map.of("only", "nobody"));
  }

  private Map<String, String> here() {
    return Map.of("only", host);
  }

  private static ValidatableResponse post(String token, ARequest request) {
    return as(token).contentType(ContentType.JSON).body(request.json()).post("/requests").then();
  }

  private static RequestSpecification as(String token) {
    return given().header("Authorization", "Bearer " + token);
  }

  private String job(String id, String queue) {
    String unique = Site.unique(id.replace(' ', '-'));
    ARequest request = waiting(unique).meaning(work).queue(queue);
    site.post(request);
    return site.statuses().await(unique, RequestState.QUEUED).job();
  }
}
