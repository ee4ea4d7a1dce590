package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.AskAgain;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractStringAssert;
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
  private static final Pattern FOOT =
      Pattern.compile("curl -H 'Accept: ([^']+)' …([^<]+)</code></footer>");
  private static final int MOST_BYTES = 60_000;

  private static final Pattern UNTIL = Pattern.compile("name=\"until\" value=\"([^\"]+)\"");
  private static final String FAILING = "failing";
  private static final String POOL = "warm";
  private static final String EVIL = "<img src=x onerror=alert(1)>";
  private static final String EVILLY = "evilly";

  @Override
  HostResources resources() {
    DeviceInfo gpu = new DeviceInfo("gpu-a", "GPU-a", "model", 8L << 30, "9.0");
    return FakeAgent.resources(
        host, 8, List.of(gpu), List.of(new PoolOffer(POOL, 4, null)), "passive");
  }

  @Override
  Optional<Ending> ending(Place place) {
    if (place.program().command().contains(EVILLY)) {
      Outcome outcome =
          place.program().command().contains(FAILING) ? Outcome.FAILED : Outcome.SUCCEEDED;
      String result = "{\"score\":1,\"%1$s\":\"%1$s\"}".formatted(EVIL);
      return Optional.of(new Ending(outcome, result, 1, EVIL + "\n", EVIL));
    }
    if (place.program().env().containsKey(ENDLESS)) {
      return Optional.empty();
    }
    return place.program().command().contains(FAILING)
        ? Optional.of(new Ending(Outcome.FAILED, null, 1, "no\n"))
        : super.ending(place);
  }

  /** As Chromium asks. */
  private static RequestSpecification browser() {
    return given()
        .noFilters()
        .filter(new AskAgain())
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
        "/requests?by=code",
        "/requests?failing=true",
        "/requests?sort=-duration",
        "/requests?state=QUEUED&code=UNSATISFIABLE",
        "/?since=2020-01-01T00:00:00Z",
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

  /** Jobs are alike by their commands, whatever their environment says. */
  @Test
  void jobThatRuns_isSaidToEnd_asOthersLikeItDid() {
    String gone = id();
    String runs = id();
    String job =
        "{\"id\":\"%s\",\"command\":[\"lasts\"],\"env\":{\"%s\":\"%s\"},"
            + "\"resources\":{\"require\":{\"only\":\"%s\"}}}";
    post(job.formatted(gone, FakeAgent.TOOK, "3600000", host)).statusCode(202);
    awaitState(gone, "SUCCEEDED");
    data("/requests/" + gone).body("details.expectedEnd", nullValue());
    post(job.formatted(runs, ENDLESS, "1", host)).statusCode(202);
    String started = awaitState(runs, "RUNNING").extract().path("startedAt");
    String end =
        Instant.parse(started).plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS).toString();
    data("/requests/" + runs)
        .body(
            "details.expectedEnd.at",
            equalTo(end),
            "details.expectedEnd.sentence",
            containsString("half of the last 1 job(s) like it took 60 min at most"));
    data("/hosts")
        .body("cards.find{it.host.host == '%s'}.ends.'%s'.at".formatted(host, runs), equalTo(end));
    data("/hosts/" + host).body("card.ends.'%s'.at".formatted(runs), equalTo(end));
    for (String address : List.of("/hosts", "/requests/" + runs)) {
      browser().get(address).then().body(containsString("about "));
    }
    long atMost = Instant.now().until(Instant.parse(end), ChronoUnit.MINUTES);
    String page = browser().get("/hosts").asString();
    long atLeast = Instant.now().until(Instant.parse(end), ChronoUnit.MINUTES);
    assertThat(LongStream.rangeClosed(atLeast, atMost).mapToObj(", about %d min left"::formatted))
        .anyMatch(page::contains);
    given().delete("/requests/{id}", runs).then().statusCode(202);
    awaitState(runs, "CANCELLED");
  }

  @Test
  void foot_ofEachPage_saysHowToHaveAllOfItAsJson() {
    String group = id();
    String id = inGroup(group, "x", "\"params\":{\"rate\":0.1}");
    awaitState(id, "SUCCEEDED");
    data("/groups/" + group).body("group.group", equalTo(group), "ranked.id", contains(id));
    data("/requests/" + id)
        .body(
            "details.status.id", equalTo(id), "why.id", equalTo(id), "params.rate", equalTo("0.1"));
    data("/hosts/" + host).body("card.host.host", equalTo(host), "past.all.id", hasItem(id));
    data("/hosts").body("cards.host.host", hasItem(host));
    data("/requests?group=" + group + "&many=1").body("requests.id", contains(id));
    data("/queues").body("queues.queue", hasItem("default"));
  }

  /** What the foot of a page names. */
  private static ValidatableResponse data(String address) {
    Matcher foot = FOOT.matcher(browser().get(address).then().statusCode(200).extract().asString());
    assertThat(foot.find()).as(address).isTrue();
    assertThat(foot.group(2).replace("&amp;", "&")).isEqualTo(address);
    return given()
        .noFilters()
        .accept(foot.group(1))
        .get(address)
        .then()
        .statusCode(200)
        .contentType(foot.group(1));
  }

  @Test
  void prefixAndText_findWhatIsThere() {
    String group = id();
    String id = inGroup(group, "so/unusual-a.program", "\"priority\":0");
    awaitState(id, "SUCCEEDED");
    String list = "/requests?group=" + group;
    for (String found :
        List.of(
            "prefix=" + id.substring(0, 30), "text=UNUSUAL-a", "text=program " + id, "by=state")) {
      assertThat(listed(list + "&" + found).extract().asString()).as(found).contains(id);
    }
    listed("/requests?prefix=" + id + "x").body("requests", hasSize(0));
    listed(list + "&text=UNUSUAL-b").body("requests", hasSize(0), "looked", nullValue());
    // It stands in the request's JSON, and in nothing that a text is looked for in.
    listed(list + "&text=" + group).body("requests", hasSize(0));
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
      String tag = asset.header("ETag");
      given().noFilters().header("If-None-Match", tag).get(assets.group(1)).then().statusCode(304);
    }
    assertThat(bytes).isLessThan(MOST_BYTES);
  }

  @Test
  void text_ofARequest_isNeverHtml() {
    String evil = EVIL;
    String id = id();
    post("{\"id\":\"%s\",\"command\":[\"%s\",\"%s\"],\"user\":\"%s\",\"labels\":{\"l\":\"%s\"}}"
            .formatted(id, ENDLESS, evil, evil, evil))
        .statusCode(202);
    awaitState(id, "RUNNING");
    String never = id();
    String waits = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\"],\"dependsOn\":[\"%3$s\"],\"group\":\"%2$s\"}"
            .formatted(waits, evil, id))
        .statusCode(202);
    awaitState(waits, "WAITING");
    post("{\"id\":\"%1$s\",\"command\":[\"%1$s\"],\"group\":\"%2$s\",\"resources\":{\"require\":{\"only\":\"%2$s\"}}}"
            .formatted(never, evil))
        .statusCode(202);
    awaitState(never, "QUEUED");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> browser().get("/").then().body(containsString("no host of the fleet")));
    for (String address :
        new String[] {
          "/",
          "/hosts",
          "/hosts/" + host,
          "/requests",
          "/requests?text=onerror",
          "/requests?sort=-attempts",
          "/requests?by=group",
          "/requests?many=1&text=onerror",
          "/requests?state=QUEUED&code=UNSATISFIABLE",
          "/groups",
          "/requests/" + id
        }) {
      assertThat(browser().get(address).asString()).doesNotContain("<img src=x");
    }
    browser()
        .get("/requests/{id}", id)
        .then()
        .body(containsString("Wait for it"), containsString("&lt;img src=x"));
    browser()
        .get("/requests/{id}", never)
        .then()
        .body(not(containsString("<img src=x")), containsString("&lt;img src=x"));
    for (String one : List.of(id, never)) {
      given().delete("/requests/{id}", one).then().statusCode(202);
      awaitState(one, "CANCELLED");
    }
  }

  @Test
  void text_ofAJob_isNeverHtml() {
    String group = EVIL + id();
    String tells =
        "\"%s{\\\"done\\\":1,\\\"total\\\":2,\\\"message\\\":\\\"%s\\\"}\","
            .formatted(FakeAgent.TELLS, EVIL);
    String running = posted(group, "\"%s\",%s".formatted(ENDLESS, tells));
    String failed = posted(group, "\"%s\",\"%s\",%s".formatted(EVILLY, FAILING, tells));
    String done = posted(group, "\"%s\",%s".formatted(EVILLY, tells));
    awaitState(failed, "FAILED").body("reason", containsString(EVIL));
    awaitState(done, "SUCCEEDED").body("result.score", equalTo(1));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/requests/{id}", running)
                    .then()
                    .body("progress.message", equalTo(EVIL)));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/requests/{id}/logs", done).then().body(containsString(EVIL)));
    for (String view :
        List.of(
            "/",
            "/hosts",
            "/hosts/{host}",
            "/requests",
            "/requests?by=group",
            "/requests?by=code",
            "/requests?failing=true",
            "/requests?many=1",
            "/groups",
            "/queues")) {
      isText(view, view.contains("{") ? new Object[] {host} : new Object[0]);
    }
    for (String one : List.of(running, failed, done)) {
      isText("/requests/{id}", one).contains("&lt;img src=x");
    }
    isText("/groups/{group}", group).contains("&lt;img src=x");
    // Its own address, as it is linked to, is a page for whoever asks.
    isText("/groups/{group}/report.html", group).contains("&lt;img src=x", failed);
    given()
        .noFilters()
        .accept("text/event-stream")
        .get("/page/requests/{id}/log", done)
        .then()
        .statusCode(200)
        .contentType("text/event-stream")
        .header("X-Content-Type-Options", "nosniff");
    given()
        .get("/requests/{id}/logs", done)
        .then()
        .contentType(ContentType.TEXT)
        .header("X-Content-Type-Options", "nosniff");
    given().delete("/requests/{id}", running).then().statusCode(202);
    awaitState(running, "CANCELLED");
  }

  private static String posted(String group, String words) {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[%2$s\"%1$s\"],\"group\":\"%3$s\",\"params\":{\"%4$s\":\"%4$s\",\"n\":1}}"
            .formatted(id, words, group, EVIL))
        .statusCode(202);
    return id;
  }

  /** The page, which shows the text as text. */
  private static AbstractStringAssert<?> isText(String address, Object... names) {
    Response page = browser().get(address, names);
    page.then().statusCode(200).contentType(ContentType.HTML);
    return assertThat(page.asString()).as(address).doesNotContain("<img src=x");
  }

  @Test
  void jobThatFailedAndIsTriedAgain_isFoundAsSuch() {
    String group = id();
    String failing = inGroup(group, FAILING, "\"retry\":{\"app\":50}");
    String running = inGroup(group, ENDLESS, "\"priority\":0");
    awaitState(running, "RUNNING");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                listed("/requests?failing=true&group=" + group)
                    .statusCode(200)
                    .body("requests.id", contains(failing)));
    listed("/requests?failing=true&by=queue&group=" + group)
        .body("grouped.counts.count", contains(1), "grouped.counts.newest", contains(failing));
    browser()
        .get("/requests?failing=true&group=" + group)
        .then()
        .body(containsString(failing), not(containsString(running)));
    listed("/requests?failing=maybe").statusCode(400).body("field", equalTo("failing"));
    for (String id : List.of(failing, running)) {
      given().delete("/requests/{id}", id).then().statusCode(202);
      awaitState(id, "CANCELLED");
    }
    listed("/requests?failing=true&group=" + group).statusCode(200).body("requests", hasSize(0));
  }

  private static String inGroup(String group, String work, String more) {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"group\":\"%3$s\",%4$s}"
            .formatted(id, work, group, more))
        .statusCode(202);
    return id;
  }

  @Test
  void list_isSortedByAColumnAndSaysHowManyItHasLookedThrough() {
    String group = id();
    List<String> ids = new ArrayList<>();
    for (int priority : new int[] {1, 3, 2}) {
      ids.add(inGroup(group, "x", "\"priority\":" + priority));
      awaitState(ids.getLast(), "SUCCEEDED");
    }
    String list = "/requests?group=" + group + "&sort=";
    listed(list + "-priority")
        .statusCode(200)
        .body("requests.id", contains(ids.get(1), ids.get(2), ids.get(0)))
        .body("requests.priority", contains(3, 2, 1))
        .body("fit", equalTo(3));
    listed(list + "priority&limit=1").body("requests.id", contains(ids.get(0)));
    listed(list + "-ended").body("requests.id", contains(ids.reversed().toArray()));
    listed(list + "started").body("requests.id", contains(ids.toArray()));
    // What is equal in it stands as it came, the newest first.
    listed(list + "attempts").body("requests.id", contains(ids.reversed().toArray()));
    listed(list + "-duration").statusCode(200).body("requests", hasSize(3));
    String next =
        listed(list + "posted&limit=2")
            .body("requests.id", contains(ids.get(0), ids.get(1)))
            .extract()
            .path("next");
    listed(list + "posted&limit=2&after=" + next).body("requests.id", contains(ids.get(2)));
    listed("/requests?sort=size").statusCode(400).body("field", equalTo("sort"));
    browser()
        .get(list + "-priority&limit=2")
        .then()
        .statusCode(200)
        .body(containsString("3 fit; 2 of them shown"), containsString("limit=1000"))
        .body(containsString("sort=priority\""), containsString("aria-current=\"true\">priority"));
  }

  @Test
  void failures_areShownUntilTheyWereSeenAndLeadToTheirList() {
    String id = id();
    post(request(id, FAILING)).statusCode(202);
    awaitState(id, "FAILED");
    Response page = browser().get("/");
    String link = "/requests?state=FAILED&amp;code=APP_FAILURE&amp;endedSince=";
    page.then().statusCode(200).body(containsString(link), containsString(id));
    String since = page.asString().split(Pattern.quote(link))[1].split("\"")[0];
    given()
        .urlEncodingEnabled(false)
        .get("/requests?state=FAILED&code=APP_FAILURE&endedSince=" + since)
        .then()
        .statusCode(200)
        .body("requests.id", hasItem(id));
    String session = page.cookie("stoker-session");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              String seen = seen(session);
              given()
                  .cookie("stoker-seen", seen)
                  .get("/")
                  .then()
                  .body("seen", equalTo(true), "since", equalTo(seen))
                  .body("failures.newest.id", not(hasItem(id)));
              // The address says more than the browser does.
              given()
                  .cookie("stoker-seen", seen)
                  .get("/?since=2020-01-01T00:00:00Z")
                  .then()
                  .body("seen", equalTo(false), "failures.newest.id", hasItem(id));
            });
    given().get("/?since=yesterday").then().statusCode(400).body("field", equalTo("since"));
    browser()
        .cookie("stoker-session", session)
        .formParam("key", "another")
        .formParam("until", "2026-01-01T00:00:00Z")
        .post("/page/seen")
        .then()
        .statusCode(403);
  }

  /** Says that what is shown was seen. */
  private static String seen(String session) {
    Response page = browser().cookie("stoker-session", session).get("/");
    Matcher until = UNTIL.matcher(page.asString());
    assertThat(until.find()).isTrue();
    Response told =
        browser()
            .cookie("stoker-session", session)
            .formParam("key", key(page))
            .formParam("until", until.group(1))
            .post("/page/seen");
    told.then().statusCode(303).header("Location", equalTo("/"));
    assertThat(told.header("Set-Cookie"))
        .contains("stoker-seen=", "HTTPOnly", "SameSite=Strict", "Max-Age=");
    return told.cookie("stoker-seen");
  }

  @Test
  void jobsThatCanNeverRun_areCountedAndListed() {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"x\",\"%1$s\"],\"resources\":{\"require\":{\"only\":\"%1$s\"}}}"
            .formatted(id))
        .statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/")
                    .then()
                    .body("never.find { it.queue == 'default' }.newest.id", equalTo(id)));
    listed("/requests?state=QUEUED&code=UNSATISFIABLE&queue=default")
        .statusCode(200)
        .body("requests.id", hasItem(id));
    browser()
        .get("/")
        .then()
        .body(
            containsString("Can never run"),
            containsString("state=QUEUED&amp;code=UNSATISFIABLE&amp;queue=default"));
    listed("/requests?code=ODD").statusCode(400).body("field", equalTo("code"));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  @Test
  void host_thatIsDrainedByItsForm_isToldApartWithForHowLongItsJobsRun() {
    List<String> ids = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    for (int gpus : new int[] {0, 1}) {
      String id = id();
      ids.add(id);
      post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"resources\":{\"gpus\":%3$d,\"require\":{\"only\":\"%4$s\"}}}"
              .formatted(id, ENDLESS, gpus, host))
          .statusCode(202);
      String started = awaitState(id, "RUNNING").extract().path("startedAt");
      shown.add(
          "href=\"/requests/%s\">%1$s</a> <span class=\"dim\">for <time class=\"ago\" datetime=\"%s\""
              .formatted(id, started));
    }
    String map = browser().get("/hosts").asString();
    assertThat(map).contains(shown).doesNotContain("g-busy g-draining");
    // The one with a GPU stands in its cell, the other one behind the cells.
    assertThat(map.indexOf(shown.get(1))).isLessThan(map.indexOf(shown.get(0)));
    given()
        .noFilters()
        .accept("application/vnd.stoker.page+json")
        .get("/hosts/{host}", host)
        .then()
        .body("card.gpus[0].jobs.id", contains(ids.get(1)));
    Response page = browser().get("/hosts/{host}", host);
    page.then().body(containsString("name=\"within\""));
    drain(page, "soon").then().statusCode(400).body(containsString("within"));
    drain(page, "1h").then().statusCode(303);
    try {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  given()
                      .get("/hosts/{host}", host)
                      .then()
                      .body("reason", equalTo("new driver"), "drain.deadline", notNullValue()));
      browser()
          .get("/hosts")
          .then()
          .body(containsString("g-busy g-draining"), containsString("busy, draining"));
    } finally {
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    }
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/hosts/{host}", host).then().body("cordoned", equalTo(false)));
    for (String id : ids) {
      given().delete("/requests/{id}", id).then().statusCode(202);
      awaitState(id, "CANCELLED");
    }
  }

  private Response drain(Response page, String within) {
    return browser()
        .cookie("stoker-session", page.cookie("stoker-session"))
        .formParam("key", key(page))
        .formParam("reason", "new driver")
        .formParam("within", within)
        .post("/page/hosts/{host}/drain", host);
  }

  @Test
  void queue_saysSinceWhenTheFirstInItsLineWaits() {
    List<String> ids = List.of(id(), id());
    List<String> arrived = new ArrayList<>();
    for (String id : ids) {
      post("{\"id\":\"%1$s\",\"command\":[\"x\",\"%1$s\"],\"queue\":\"lab\",\"priority\":%2$d,\"resources\":{\"require\":{\"only\":\"%1$s\"}}}"
              .formatted(id, 900 + arrived.size()))
          .statusCode(202);
      arrived.add(awaitState(id, "QUEUED").extract().path("postedAt"));
      // The one of the higher priority is first, though the other one has waited longer.
      given()
          .get("/queues")
          .then()
          .statusCode(200)
          .body("queues.find { it.queue == 'lab' }.headSince", equalTo(arrived.getLast()));
      for (String view : List.of("/queues", "/")) {
        browser().get(view).then().body(containsString("datetime=\"" + arrived.getLast()));
      }
    }
    for (String id : ids) {
      given().delete("/requests/{id}", id).then().statusCode(202);
      awaitState(id, "CANCELLED");
    }
  }

  @Test
  void dependencies_areDrawnAndListed() {
    String first = inGroup(id(), ENDLESS, "\"priority\":0");
    awaitState(first, "RUNNING");
    List<String> others = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      others.add(inGroup(id(), "x", "\"dependsOn\":[\"" + first + "\"]"));
      awaitState(others.getLast(), "WAITING");
    }
    given()
        .get("/requests/{id}/details", first)
        .then()
        .statusCode(200)
        .body("dependents.id", containsInAnyOrder(others.toArray()))
        .body("dependents[0].state", equalTo("WAITING"));
    browser()
        .get("/requests/{id}", first)
        .then()
        .body(containsString("and 2 more"), containsString("8 wait for it"))
        .body(containsString("href=\"/requests/" + others.getLast()));
    browser()
        .get("/requests/{id}", others.getFirst())
        .then()
        .body(containsString("It needs 1, of which 0 are over"), containsString(first));
    given().delete("/requests/{id}", first).then().statusCode(202);
    others.forEach(id -> awaitState(id, "FAILED"));
  }

  @Test
  void pool_saysHowLongItsJobsTook() {
    String id = id();
    post("{\"id\":\"%1$s\",\"workers\":\"%2$s\",\"params\":{\"of\":\"%1$s\"}}".formatted(id, POOL))
        .statusCode(202);
    awaitState(id, "SUCCEEDED");
    given()
        .get("/pools/{host}/{pool}", host, POOL)
        .then()
        .statusCode(200)
        .body("latency.ended", greaterThanOrEqualTo(1))
        .body("latency.p95Ms", greaterThanOrEqualTo(0f));
    browser().get("/pools").then().body(containsString("Latency p50"), containsString(" ms</td>"));
  }

  @Test
  void passiveJob_isFinishedAndFailedByItsForms() {
    for (String action : List.of("finish", "fail")) {
      String id = id();
      post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"resources\":{\"type\":\"passive\"}}"
              .formatted(id, ENDLESS))
          .statusCode(202);
      awaitState(id, "RUNNING");
      Response page = browser().get("/requests/{id}", id);
      browser()
          .cookie("stoker-session", page.cookie("stoker-session"))
          .formParam("key", key(page))
          .formParam("result", "0.91")
          .formParam("reason", "too salty")
          .post("/page/requests/{id}/{action}", id, action)
          .then()
          .statusCode(303);
      awaitState(id, action.equals("finish") ? "SUCCEEDED" : "FAILED");
    }
  }

  @Test
  void host_thatIsCordonedByItsForm_saysWhyInTheMapAndNow() {
    Response page = browser().get("/hosts/{host}", host);
    page.then().statusCode(200).body(containsString(host), containsString("Cordon"));
    String key = key(page);
    String session = page.cookie("stoker-session");
    cordon(null, key).then().statusCode(403);
    cordon("another", key).then().statusCode(403);
    try {
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
    } finally {
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    }
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
    listed("/requests?by=user&kind=command&group=" + group)
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
      listed("/requests?group=" + group + "&by=" + by)
          .statusCode(200)
          .body("grouped.counts.count", contains(3));
    }
    listed("/requests?by=size").statusCode(400).body("field", equalTo("by"));
    listed("/requests?kind=none&group=" + group).body("requests", hasSize(0));
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
        .body(containsString("Cancel: 2 told"), containsString("1 refused"))
        // Its address takes forms alone: there is nothing to have as JSON.
        .body(not(containsString("curl")));
    ids.forEach(id -> awaitState(id, "CANCELLED"));
  }

  /** Sends a form of a page, with fields and their values in turn. */
  private static ValidatableResponse send(String page, String action, String... fields) {
    Response open = browser().get(page);
    RequestSpecification form =
        browser()
            .cookie("stoker-session", open.cookie("stoker-session"))
            .formParam("key", key(open));
    for (int i = 0; i < fields.length; i += 2) {
      form.formParam(fields[i], fields[i + 1]);
    }
    return form.post(action).then();
  }

  @Test
  void many_areGivenAnotherPriority() {
    String group = id();
    String id = inGroup(group, ENDLESS, "\"priority\":0");
    awaitState(id, "RUNNING");
    String page = "/requests?many=1&group=" + group;
    for (String wrong : List.of("", "high", "1001")) {
      send(page, "/page/many/priority", "ids", id, "priority", wrong)
          .statusCode(400)
          .contentType(ContentType.HTML)
          .body(containsString("priority"), containsString("an integer from -1000 to 1000"));
    }
    send(page, "/page/many/priority", "ids", id).statusCode(400);
    send(page, "/page/many/priority", "ids", id + " never-posted", "priority", "7")
        .statusCode(200)
        .body(containsString("Priority: 1 told"), containsString("1 refused"));
    awaitPriority(id, 7);
    stop(group, id);
  }

  private static void awaitPriority(String id, int priority) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> listed("/requests?prefix=" + id).body("requests.priority", contains(priority)));
  }

  private static void stop(String group, String id) {
    send("/groups/" + group, "/page/groups/" + group + "/stop")
        .statusCode(303)
        .header("Location", equalTo("/groups/" + group + "#told"));
    awaitState(id, "CANCELLED");
  }

  @Test
  void many_areRetried() {
    String group = id();
    List<String> ids =
        List.of(
            inGroup(group, FAILING, "\"priority\":0"), inGroup(group, FAILING, "\"priority\":0"));
    ids.forEach(id -> awaitState(id, "FAILED"));
    send("/requests?many=1&group=" + group, "/page/many/retry", "ids", String.join(" ", ids))
        .statusCode(200)
        .body(containsString("Retry: 2 told"), not(containsString("refused")));
    ids.forEach(PageContractTest::awaitRetry);
  }

  private static void awaitRetry(String id) {
    await()
        .atMost(SOON)
        .untilAsserted(() -> listed("/requests?label=retry-of=" + id).body("requests", hasSize(1)));
  }

  @Test
  void job_isRetriedByItsForm() {
    String id = inGroup(id(), FAILING, "\"priority\":0");
    awaitState(id, "FAILED");
    send("/requests/" + id, "/page/requests/" + id + "/retry")
        .statusCode(303)
        .header("Location", equalTo("/requests/" + id + "#told"));
    awaitRetry(id);
  }

  @Test
  void job_isGivenAnotherPriorityByItsForm() {
    String group = id();
    String id = inGroup(group, ENDLESS, "\"priority\":0");
    awaitState(id, "RUNNING");
    String page = "/requests/" + id;
    String action = "/page/requests/" + id + "/priority";
    send(page, action)
        .statusCode(400)
        .contentType(ContentType.HTML)
        .body(containsString("an integer from -1000 to 1000"));
    send(page, action, "priority", "-3").statusCode(303);
    awaitPriority(id, -3);
    stop(group, id);
  }

  @Test
  void form_ofAList_keepsWhatItsAddressAsksForAndTakesTimes() {
    String address =
        "/requests?label=a%3D1&label=b%3D2&since=2026-01-01T10%3A30%3A15Z"
            + "&until=2026-01-31T12%3A00%3A00%2B02%3A00";
    browser()
        .urlEncodingEnabled(false)
        .get(address)
        .then()
        .statusCode(200)
        .body(containsString("name=\"label\" value=\"a=1\""))
        .body(containsString("name=\"label\" value=\"b=2\""))
        .body(
            containsString(
                "Posted since, UTC <input type=\"datetime-local\" step=\"any\" name=\"since\" value=\"2026-01-01T10:30:15\""))
        .body(
            containsString(
                "Posted before, UTC <input type=\"datetime-local\" step=\"any\" name=\"until\" value=\"2026-01-31T10:00\""))
        .body(containsString("Posted before 2026-01-31 12:00:00+02:00."));
    // As a browser sends what was entered.
    browser()
        .urlEncodingEnabled(false)
        .get("/requests?label=&since=2026-01-01T10%3A30&until=2026-01-31T10%3A00%3A01.5")
        .then()
        .statusCode(303)
        .header(
            "Location",
            equalTo("/requests?since=2026-01-01T10%3A30%3A00Z&until=2026-01-31T10%3A00%3A01.500Z"));
    browser()
        .urlEncodingEnabled(false)
        .get("/requests?until=2026-02-31T10%3A00")
        .then()
        .statusCode(400)
        .body(containsString("until"), containsString("2026-02-31T10:00"));
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
    for (String asked : List.of(id, id())) {
      given()
          .noFilters()
          .accept("text/event-stream")
          .get("/page/requests/{id}/log", asked)
          .then()
          .statusCode(200)
          .contentType("text/event-stream")
          .body(containsString("event:done"));
    }
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
