package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What browsers get at the addresses of REST. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageContractTest extends RestContract {
  private static final Pattern KEY = Pattern.compile("name=\"key\" value=\"([0-9a-f]+)\"");
  private static final Pattern ASSET = Pattern.compile("(?:src|href)=\"(/assets/[^\"]+)\"");
  private static final int MOST_BYTES = 60_000;

  /** As Chromium asks. */
  private static RequestSpecification browser() {
    return given()
        .noFilters()
        .redirects()
        .follow(false)
        .accept("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/hosts",
        "/requests",
        "/requests?state=FAILED&queue=default",
        "/requests?by=kind&user=nobody",
        "/groups",
        "/queues",
        "/pools",
        "/kinds",
        "/dead-letters",
        "/dead-letters?text=none"
      })
  void view_ofABrowser_isAPageThatMayLoadNothingFromElsewhere(String address) {
    Response page = browser().get(address);
    page.then()
        .statusCode(200)
        .contentType(ContentType.HTML)
        .header("Cache-Control", "no-store")
        .header(
            "Content-Security-Policy",
            allOf(startsWith("default-src 'none'"), not(containsString("unsafe"))))
        .header("Referrer-Policy", "same-origin");
    // A second one would forbid what the first one allows.
    assertThat(page.headers().getValues("Content-Security-Policy"))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("script-src 'self'", "style-src 'self'");
    assertThat(page.headers().getValues("Referrer-Policy")).containsExactly("same-origin");
    assertThat(page.headers().getValues("Content-Type")).containsExactly("text/html;charset=UTF-8");
    assertThat(page.asString())
        .doesNotContain("<style", "style=", "onclick", "http://", "https://")
        .doesNotContainPattern("<script(?![^>]* src=\"/)");
    given().noFilters().get(address).then().statusCode(200).contentType(ContentType.JSON);
    given().noFilters().accept(ContentType.JSON).get(address).then().contentType(ContentType.JSON);
  }

  @Test
  void firstView_isSmall() {
    String page = browser().get("/").asString();
    int bytes = page.length();
    Matcher assets = ASSET.matcher(page);
    while (assets.find()) {
      Response asset = given().noFilters().get(assets.group(1));
      asset.then().statusCode(200).header("Cache-Control", not(containsString("no-store")));
      bytes += asset.asByteArray().length;
    }
    assertThat(bytes).isLessThan(MOST_BYTES);
  }

  @Test
  void text_ofARequest_isNeverHtml() {
    String evil = "<img src=x onerror=alert(1)>";
    String id = id();
    post("{\"id\":\"%s\",\"command\":[\"%s\",\"%s\"],\"user\":\"%s\",\"labels\":{\"l\":\"%s\"}}"
            .formatted(id, ENDLESS, evil, evil, evil))
        .statusCode(202);
    awaitState(id, "RUNNING");
    for (String address :
        new String[] {
          "/", "/hosts", "/hosts/" + host, "/requests", "/requests?text=onerror", "/requests/" + id
        }) {
      assertThat(browser().get(address).asString()).doesNotContain("<img src=x");
    }
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  @Test
  void host_thatIsCordonedByItsForm_saysWhyInTheMapAndNow() {
    Response page = browser().get("/hosts/{host}", host);
    page.then().statusCode(200).body(containsString(host), containsString("Cordon"));
    String key = key(page);
    String session = page.cookie("stoker-session");
    cordon(null, key).then().statusCode(403);
    cordon("another", key).then().statusCode(403);
    cordon(session, key)
        .then()
        .statusCode(303)
        .header("Location", equalTo("/hosts/" + host + "#told"));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> browser().get("/hosts").then().body(containsString("a fan &lt;b&gt;")));
    browser().get("/").then().body(containsString("a fan &lt;b&gt;"));
    given()
        .get("/")
        .then()
        .statusCode(200)
        .body("troubles.find { it.host == '" + host + "' }.what", equalTo("cordoned"))
        .body("figures.hosts", notNullValue());
    given().get("/hosts/{host}", host).then().body("cordoned", equalTo(true));
    given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/hosts/{host}", host).then().body("cordoned", equalTo(false)));
  }

  private Response cordon(String session, String key) {
    RequestSpecification form = browser().formParam("key", key).formParam("reason", "a fan <b>");
    return (session == null ? form : form.cookie("stoker-session", session))
        .post("/page/hosts/{host}/cordon", host);
  }

  @Test
  void job_isShownWithItsCommandAndCancelledByItsForm() {
    String id = id();
    post("{\"id\":\"%s\",\"command\":[\"%s\",\"a b\"],\"env\":{\"HF_TOKEN\":\"hf_geheim\"},\"labels\":{\"l\":\"%s\"}}"
            .formatted(id, ENDLESS, id))
        .statusCode(202);
    awaitState(id, "RUNNING");
    Response page = browser().get("/requests/{id}", id);
    page.then()
        .statusCode(200)
        .body(containsString(ENDLESS + " &#39;a b&#39;"), containsString("href=\"/hosts/" + host))
        .body(containsString("(hidden)"), not(containsString("geheim")));
    browser()
        .queryParam("label", "l=" + id)
        .queryParam("queue", "")
        .get("/requests")
        .then()
        .statusCode(303)
        .header("Location", equalTo("/requests?label=l%3D" + id));
    browser()
        .queryParam("label", "l=" + id)
        .get("/requests")
        .then()
        .statusCode(200)
        .body(containsString("/requests/" + id));
    browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .formParam("reason", "no <i>use")
        .post("/page/requests/{id}/cancel", id)
        .then()
        .statusCode(303);
    awaitState(id, "CANCELLED").body("reason", equalTo("no <i>use"));
    browser().get("/requests/{id}", id).then().body(containsString("no &lt;i&gt;use"));
  }

  @Test
  void group_isShownWithItsScoresAndParametersAsText() {
    String group = "<b>" + id();
    for (double rate : new double[] {0.001, 0.1}) {
      post("{\"id\":\"%s\",\"command\":[\"x\",\"%s\"],\"group\":\"%s\",\"params\":{\"rate<i>\":%s}}"
              .formatted(id(), id(), group, rate))
          .statusCode(202);
    }
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/groups/{group}", group).then().body("succeeded", equalTo(2)));
    Response page = browser().get("/groups/{group}", group);
    page.then()
        .statusCode(200)
        .body(containsString("Scores against rate&lt;i&gt;"), containsString("2 succeeded"))
        .body(not(containsString("<b>" + group.substring(3))), not(containsString("rate<i>")));
    browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .post("/page/groups/{group}/close", group)
        .then()
        .statusCode(303);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/groups/{group}", group).then().body("state", equalTo("ENDED")));
  }

  @Test
  void requests_areCountedByAColumnAsTheirFilterFindsThem() {
    String group = id();
    for (String user : new String[] {"ada", "ada", "<i>bo"}) {
      String id = id();
      post("{\"id\":\"%1$s\",\"command\":[\"x\",\"%1$s\"],\"group\":\"%2$s\",\"user\":\"%3$s\"}"
              .formatted(id, group, user))
          .statusCode(202);
      awaitState(id, "SUCCEEDED");
    }
    given()
        .get("/requests?by=user&kind=command&group=" + group)
        .then()
        .statusCode(200)
        .body("requests", hasSize(0))
        .body("grouped.counts.value", contains("ada", "<i>bo"))
        .body("grouped.counts.count", contains(2, 1))
        .body("grouped.whole", equalTo(true));
    browser()
        .get("/requests?by=user&group=" + group)
        .then()
        .body(
            containsString("&lt;i&gt;bo"),
            containsString("user=ada"),
            not(containsString("<i>bo")));
    for (String by : new String[] {"state", "queue", "group", "kind", "host"}) {
      given()
          .get("/requests?group=" + group + "&by=" + by)
          .then()
          .statusCode(200)
          .body("grouped.counts.count", contains(3));
    }
    given().get("/requests?by=size").then().statusCode(400).body("field", equalTo("by"));
    given().get("/requests?kind=none&group=" + group).then().body("requests", hasSize(0));
  }

  @Test
  void result_isForgottenByAForm() {
    String id = id();
    post(request(id, id)).statusCode(202);
    awaitState(id, "SUCCEEDED");
    Response page = browser().get("/requests/{id}", id);
    page.then().body(containsString("Forget its result"));
    browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .post("/page/requests/{id}/forget", id)
        .then()
        .statusCode(303);
  }

  @Test
  void many_areCancelledAsTheyWereListed() {
    String group = id();
    List<String> ids = List.of(id(), id());
    for (String id : ids) {
      post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"group\":\"%3$s\"}"
              .formatted(id, ENDLESS, group))
          .statusCode(202);
      awaitState(id, "RUNNING");
    }
    Response page = browser().get("/requests?many=1&group=" + group);
    page.then().statusCode(200).body(containsString("Cancel 2"), containsString(ids.getFirst()));
    browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .formParam("ids", String.join(" ", ids) + " never-posted")
        .post("/page/many/cancel")
        .then()
        .statusCode(200)
        .body(containsString("Cancel: 2 told"), containsString("1 refused"));
    ids.forEach(id -> awaitState(id, "CANCELLED"));
  }

  @Test
  void deadLetter_isShownAndPostedAgainOnceItIsPutRight() {
    String id = id();
    String wrong = "{\"id\":\"%s\",\"comand\":[\"<i>\"]}".formatted(id);
    agent.record(new Topics(Topics.DEFAULT_PREFIX).requests(), id, wrong);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .queryParam("text", id)
                    .get("/dead-letters")
                    .then()
                    .statusCode(200)
                    .body("letters[0].value", equalTo(wrong))
                    .body("letters[0].request", equalTo(true)));
    Response page = browser().queryParam("text", id).get("/dead-letters");
    page.then().statusCode(200).body(containsString("&lt;i&gt;"), containsString("comand"));
    browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .formParam("value", wrong.replace("comand", "command") + " ".repeat(5_000))
        .post("/page/dead-letters/again")
        .then()
        .statusCode(303)
        .header("Location", equalTo("/requests/" + id + "#told"));
    awaitState(id, "SUCCEEDED");
  }

  @Test
  void changes_ofAViewThatIsNone_areRefused() {
    given()
        .noFilters()
        .accept("text/event-stream")
        .get("/page/changes?of=none")
        .then()
        .statusCode(400);
  }

  @Test
  void log_thatIsOver_endsWithAnEventThatSaysSo() {
    String id = id();
    post(request(id, "x")).statusCode(202);
    awaitState(id, "SUCCEEDED");
    given()
        .noFilters()
        .accept("text/event-stream")
        .get("/page/requests/{id}/log", id)
        .then()
        .statusCode(200)
        .contentType("text/event-stream")
        .body(containsString("event:done"));
  }

  private static String key(Response page) {
    Matcher key = KEY.matcher(page.asString());
    assertThat(key.find()).isTrue();
    return key.group(1);
  }

  @Test
  void form_ofAPageOfAnotherSite_isRefused() {
    browser()
        .header("Origin", "https://evil.example")
        .formParam("token", "x")
        .post("/page/login")
        .then()
        .statusCode(403)
        .contentType(ContentType.HTML);
  }

  @Test
  void address_thatIsNotThere_isAPageThatSaysSo() {
    browser()
        .get("/hosts/{host}", "<b>none")
        .then()
        .statusCode(404)
        .contentType(ContentType.HTML)
        .body(containsString("no host &lt;b&gt;none is known"));
    given().get("/hosts/none").then().statusCode(404).body("field", equalTo("host"));
  }
}
