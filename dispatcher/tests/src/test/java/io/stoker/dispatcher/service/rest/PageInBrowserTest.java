package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.stoker.common.fixture.Chromium;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.Accessibility;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.service.testing.Relay;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real Chromium, which does what its policies say. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageInBrowserTest extends RestContract {
  private static final String EVIL = "<img src=x onerror=document.title=1>";

  private static final String SCORED = "scored";
  private static final String TALKING = "talking";
  private static final String SAID = "one line\n#stoker: progress 1\nanother <b>line\n";

  /** How often a page was fetched again. */
  private static final String FETCHES =
      "performance.getEntriesByType('resource').filter(one => one.name === location.href).length";

  private final List<Chromium.Tab> tabs = new ArrayList<>();

  /** What does not end by itself. */
  private final List<String> endless = new ArrayList<>();

  private Chromium browser;

  @BeforeEach
  void startBrowser() throws Exception {
    Path program = Chromium.program();
    if (browser == null) {
      browser = Chromium.start(program);
    }
  }

  @AfterEach
  void closeTabs() {
    tabs.forEach(Chromium.Tab::close);
    tabs.clear();
  }

  /** Else what a test that fails leaves has the room of the next one's. */
  @AfterEach
  void cancelWhatIsLeft() {
    for (String id : endless) {
      String state = given().get("/requests/{id}", id).path("state");
      if ("RUNNING".equals(state) || "QUEUED".equals(state)) {
        given().delete("/requests/{id}", id).then().statusCode(202);
        awaitState(id, "CANCELLED");
      }
    }
    endless.clear();
  }

  @AfterAll
  void stopBrowser() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @Override
  HostResources resources() {
    DeviceInfo gpu = new DeviceInfo("0", "GPU-" + host, "a GPU", 80L << 30, "9.0");
    return FakeAgent.resources(
        host, 8, List.of(gpu), List.of(new PoolOffer("warm", 4, null)), "passive");
  }

  @Override
  Optional<Ending> ending(Place place) {
    List<String> command = place.program().command();
    if (command.contains(TALKING)) {
      return Optional.of(new Ending(Outcome.SUCCEEDED, "1", 0, SAID));
    }
    return command.contains(ENDLESS)
        ? Optional.empty()
        : command.contains(SCORED)
            ? Optional.of(Ending.succeeded("0.75"))
            : Optional.of(new Ending(Outcome.FAILED, null, 1, EVIL + " & said\n"));
  }

  private Chromium.Tab at(String address) throws Exception {
    Chromium.Tab tab = browser.open(1200, 800);
    tabs.add(tab);
    tab.go("http://127.0.0.1:" + RestAssured.port + address);
    return tab;
  }

  @Test
  void views_breakNoPolicyAndShowOutputAsText() throws Exception {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"x\",\"%2$s\"],\"user\":\"%2$s\",\"group\":\"%1$s\",\"labels\":{\"l\":\"%2$s\"}}"
            .formatted(id, EVIL))
        .statusCode(202);
    awaitState(id, "FAILED");
    Chromium.Tab tab = at("/requests/" + id);
    tab.await("document.querySelector('.log').textContent.includes('" + EVIL + " & said')");
    for (String view : List.of("/", "/hosts", "/hosts/" + host, "/requests", "/groups")) {
      tab.go("http://127.0.0.1:" + RestAssured.port + view);
      tab.await("document.querySelector('[aria-current=page]')");
      assertThat(tab.run("document.querySelectorAll('main img').length").asInt()).isZero();
      assertThat(tab.run("document.title").asText()).endsWith("Stoker");
    }
    assertThat(tab.complaints()).isEmpty();
  }

  @Test
  void view_ofWhatChanges_followsItAndKeepsWhatIsTyped() throws Exception {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"]}".formatted(id, ENDLESS))
        .statusCode(202);
    awaitState(id, "RUNNING");
    Chromium.Tab job = at("/requests/" + id);
    Chromium.Tab list = at("/requests?prefix=" + id);
    list.await("document.querySelector('.s-running')");
    list.run("document.querySelector('[name=text]').value = 'half a word'");
    list.run("document.querySelector('[name=text]').focus()");
    given().delete("/requests/{id}", id).then().statusCode(202);
    for (Chromium.Tab tab : List.of(job, list)) {
      tab.await("document.querySelector('.s-cancelled') && !document.querySelector('.s-running')");
    }
    assertThat(list.run("document.activeElement.value").asText()).isEqualTo("half a word");
    assertThat(job.complaints()).isEmpty();
  }

  @Test
  void tabThatNobodySees_hearsNothingAndIsTrueAgainOnceItIsSeen() throws Exception {
    String id = id();
    Chromium.Tab list = at("/requests?prefix=" + id);
    list.await("document.querySelector('#pause.live') && " + FETCHES + " > 0");
    list.run(
        """
        window.begun = window.over = 0;
        (real => {
          window.fetch = (...of) => {
            begun++;
            return real(...of).finally(() => over++);
          };
        })(window.fetch);
        """
            + "0");
    // Seen anew, it fetches once more: one that was under way is over then.
    hidden(list, true);
    hidden(list, false);
    list.await("over > 0");
    hidden(list, true);
    list.await("over === begun");
    int begun = list.run("begun").asInt();
    post(request(id, id)).statusCode(202);
    awaitState(id, "FAILED");
    assertThat(list.run("document.querySelector('main').innerText").asText())
        .doesNotContain("failed\t");
    assertThat(list.run("begun").asInt()).isEqualTo(begun);
    hidden(list, false);
    list.await("document.querySelector('.s-failed')");
  }

  @Test
  void list_isSavedByANameAndCountedByAColumn() throws Exception {
    String id = endless();
    Chromium.Tab tab = at("/requests?prefix=" + id);
    tab.run("document.querySelector('#views input').value = '<b>mine'");
    tab.run("document.querySelector('#views form').requestSubmit()");
    tab.go("http://127.0.0.1:" + RestAssured.port + "/requests?by=state");
    tab.await("document.querySelector('#views a').textContent === '<b>mine'");
    tab.run("document.querySelector('#views a').click()");
    tab.await("location.search === '?prefix=" + id + "' && document.querySelector('.s-running')");
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  @Test
  void views_areForEverybodyInBothThemesByKeyboardAndOnAPhone() throws Exception {
    String group = "<i>" + id();
    String failed = inGroup(group, "x", "FAILED");
    String running = onGpu(group);
    inGroup(group, SCORED, "SUCCEEDED");
    String passive = passive();
    String waiting = id();
    post("{\"id\":\"%s\",\"command\":[\"x\"],\"dependsOn\":[\"%s\"]}".formatted(waiting, running))
        .statusCode(202);
    String never = id();
    post("{\"id\":\"%1$s\",\"command\":[\"x\"],\"resources\":{\"require\":{\"only\":\"%1$s\"}}}"
            .formatted(never))
        .statusCode(202);
    endless.add(never);
    await()
        .atMost(SOON)
        .until(
            () ->
                given().get("/").jsonPath().getList("never.newest.id").contains(never)
                    && given().get("/requests/" + running).asString().contains("RUNNING"));
    String letter = id();
    agent.record(
        new Topics(Topics.DEFAULT_PREFIX).requests(),
        letter,
        "{\"id\":\"%s\",\"comand\":[\"x\"]}".formatted(letter));
    String letters = "/dead-letters?text=" + letter;
    await()
        .atMost(SOON)
        .until(() -> given().get(letters).jsonPath().getList("letters").size() == 1);
    String ofGroup = "group=" + URLEncoder.encode(group, StandardCharsets.UTF_8);
    Chromium.Tab tab = at("/");
    SoftAssertions found = new SoftAssertions();
    for (String view :
        List.of(
            "/",
            "/hosts",
            "/hosts/" + host,
            "/requests?" + ofGroup,
            "/requests?by=state&" + ofGroup,
            "/requests?many=1&" + ofGroup,
            "/requests?failing=true&sort=-attempts&" + ofGroup,
            "/requests?sort=-duration&" + ofGroup,
            "/requests?state=QUEUED&code=UNSATISFIABLE",
            "/groups",
            "/groups/" + ofGroup.substring("group=".length()).replace("+", "%20"),
            "/queues",
            "/pools",
            "/kinds",
            letters,
            "/requests/" + failed,
            "/requests/" + running,
            "/requests/" + waiting,
            "/requests/" + passive,
            "/requests/never-posted")) {
      tab.size(1200, 800);
      tab.go("http://127.0.0.1:" + RestAssured.port + view);
      Accessibility of = new Accessibility(tab);
      for (String scheme : List.of("light", "dark")) {
        tab.scheme(scheme);
        found.assertThat(of.violations()).as("%s, %s", view, scheme).isEmpty();
      }
      found.assertThat(of.beyondKeys()).as("%s, by keyboard", view).isEmpty();
      tab.size(400, 800);
      found
          .assertThat(tab.run("document.documentElement.scrollWidth").asInt())
          .as("%s, the width that it takes", view)
          .isLessThanOrEqualTo(400);
      found.assertThat(of.violations()).as("%s, on a phone", view).isEmpty();
    }
    found.assertAll();
  }

  private String onGpu(String group) {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"group\":\"%3$s\",\"params\":{\"rate\":0.1},\"resources\":{\"gpus\":1,\"gpuMemory\":\"40GiB\"}}"
            .formatted(id, ENDLESS, group))
        .statusCode(202);
    endless.add(id);
    awaitState(id, "RUNNING");
    return id;
  }

  @Test
  void jobOnAGpu_showsWhatItTakesBesideWhatItWasPromised() {
    String id = onGpu("of-browsers");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(
                        given()
                            .noFilters()
                            .accept("text/html")
                            .get("/requests/{id}", id)
                            .asString())
                    .contains("Takes now", ">40 GiB</td><td class=\"n\">40 GiB", ">87 %"));
  }

  private String passive() {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"resources\":{\"type\":\"passive\"}}"
            .formatted(id, ENDLESS))
        .statusCode(202);
    endless.add(id);
    awaitState(id, "RUNNING");
    return id;
  }

  @Test
  void passiveJob_isFinishedAndFailedByKeyboardAlone() throws Exception {
    for (String action : List.of("finish", "fail")) {
      String id = passive();
      Chromium.Tab tab = at("/requests/" + id);
      boolean finished = action.equals("finish");
      tab.tabTo("[name=result]");
      if (!finished) {
        tab.tabTo("[name=reason]");
      }
      tab.type(finished ? "0.91" : "too salty");
      tab.tabTo("[formaction$='/" + action + "']");
      tab.press("Enter");
      awaitState(id, finished ? "SUCCEEDED" : "FAILED");
      tab.await("document.querySelector('.s-%s')".formatted(finished ? "succeeded" : "failed"));
    }
  }

  @Test
  void output_isSearchedFoldedAndDownloaded(@TempDir Path folder) throws Exception {
    String id = inGroup("of-browsers", TALKING, "SUCCEEDED");
    Chromium.Tab tab = at("/requests/" + id);
    String log = "document.querySelector('.log').textContent";
    tab.await(log + ".includes('another <b>line') && !" + log + ".includes('#stoker')");
    tab.await("document.querySelector('#log-found').textContent === '1 folded'");
    tab.tabTo("#log-fold");
    tab.press(" ");
    tab.await(log + ".includes('#stoker: progress 1')");
    tab.run("document.querySelector('#log-search').focus()");
    tab.type("ANOTHER");
    tab.await(log + ".trim() === 'another <b>line'");
    tab.await("document.querySelector('#log-found').textContent === '1 lines'");
    tab.tabTo("#log-times");
    tab.press(" ");
    tab.await("/^\\d{4}-[^ ]+Z another <b>line$/.test(" + log + ".trim())");
    tab.downloadTo(folder);
    tab.tabTo("a[download]");
    tab.press("Enter");
    Path file = folder.resolve(id + ".log");
    await().atMost(SOON).untilAsserted(() -> assertThat(file).exists().content().contains(SAID));
    assertThat(tab.complaints()).isEmpty();
  }

  @Test
  void failure_isMarkedAsSeenByKeyboardAlone() throws Exception {
    String id = inGroup("of-browsers", "x", "FAILED");
    Chromium.Tab tab = at("/?since=2020-01-01T00:00:00Z");
    tab.await("document.querySelector('#failures').parentElement.innerText.includes('" + id + "')");
    // An end of the last seconds is shown once more.
    await()
        .atMost(SOON)
        .until(
            () -> {
              tab.tabTo("[action='/page/seen'] button");
              tab.run("window.before = true");
              tab.press("Enter");
              tab.await(
                  "!window.before && location.search === '' && document.readyState === 'complete'"
                      + " && document.querySelector('#failures').innerText.includes('last looked')");
              return !tab.run(
                      "document.querySelector('#failures').parentElement.innerText.includes('"
                          + id
                          + "')")
                  .asBoolean();
            });
    tab.run("document.querySelector(\"a[href^='/?since=']\").click()");
    tab.await("document.querySelector('#failures').parentElement.innerText.includes('" + id + "')");
  }

  @Test
  void view_ofADispatcherThatIsRestarted_saysSoAndIsTrueOnceItIsBack() throws Exception {
    try (Relay relay = new Relay(RestAssured.port)) {
      Chromium.Tab tab = browser.open(1200, 800);
      tabs.add(tab);
      String id = id();
      tab.go("http://127.0.0.1:" + relay.port() + "/requests?prefix=" + id);
      tab.await(FETCHES + " > 0");
      relay.stop();
      tab.await("document.querySelector('#lost.on')");
      post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"]}".formatted(id, ENDLESS))
          .statusCode(202);
      awaitState(id, "RUNNING");
      relay.start();
      tab.await("document.getElementById('job-" + id + "') && !document.querySelector('#lost.on')");
      tab.await("document.querySelector('#pause').textContent === 'live'");
      given().delete("/requests/{id}", id).then().statusCode(202);
      tab.await("document.querySelector('.s-cancelled')");
    }
  }

  @Test
  void job_isFoundAndCancelledByKeyboardAlone() throws Exception {
    String id = endless();
    Chromium.Tab tab = at("/requests?prefix=" + id);
    tab.press("Tab");
    tab.press("Enter");
    tab.await("document.activeElement.id === 'main'");
    tab.tabTo("#views input");
    tab.type("by keyboard");
    tab.press("Enter");
    tab.await("document.querySelector('#views a')");
    tab.tabTo("#views span button");
    tab.press("Enter");
    tab.await("!document.querySelector('#views a')");
    tab.tabTo("a.id");
    tab.press("Enter");
    tab.await("document.querySelector(\"[formaction$='/cancel']\")");
    tab.tabTo("[name=reason]");
    tab.type("no mouse");
    tab.tabTo("[formaction$='/cancel']");
    tab.press("Enter");
    awaitState(id, "CANCELLED").body("reason", equalTo("no mouse"));
    tab.await("document.querySelector('.s-cancelled')");
  }

  @Test
  void host_isCordonedByKeyboardAlone() throws Exception {
    Chromium.Tab tab = at("/hosts/" + host);
    try {
      for (String action : List.of("cordon", "uncordon")) {
        tab.tabTo("[name=reason]");
        tab.type("no mouse");
        tab.tabTo("[formaction$='/" + action + "']");
        tab.press("Enter");
        await()
            .atMost(SOON)
            .until(
                () ->
                    given().get("/hosts/{host}", host).jsonPath().getBoolean("cordoned")
                        == action.equals("cordon"));
        tab.await("location.hash === '#told' && document.readyState === 'complete'");
      }
    } finally {
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    }
  }

  @Test
  void view_saysThatTheConnectionIsLostAndIsTrueOnceItIsBack() throws Exception {
    Chromium.Tab tab = at("/");
    tab.await(FETCHES + " > 0");
    tab.offline(true);
    tab.await(
        "document.querySelector('#lost.on').innerText.startsWith('The connection to the dispatcher is lost since')");
    assertThat(tab.run("document.querySelector('#pause').textContent").asText()).isEqualTo("lost");
    String id = endless();
    tab.offline(false);
    tab.await("document.getElementById('job-" + id + "') && !document.querySelector('#lost.on')");
    tab.await("document.querySelector('#pause').textContent === 'live'");
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  private static String inGroup(String group, String work, String state) {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"group\":\"%3$s\",\"params\":{\"rate\":0.1},\"env\":{\"A\":\"b\"},\"labels\":{\"l\":\"v\"}}"
            .formatted(id, work, group))
        .statusCode(202);
    awaitState(id, state);
    return id;
  }

  private String endless() {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"%2$s\",\"%1$s\"],\"group\":\"of-browsers\"}"
            .formatted(id, ENDLESS))
        .statusCode(202);
    endless.add(id);
    awaitState(id, "RUNNING");
    return id;
  }

  @Test
  void output_ofAGangIsFoldedAndOfMuchTheBeginningIsSaidToBeLeftOut() throws Exception {
    String id = endless();
    Chromium.Tab tab = at("/requests/" + id);
    tab.await("document.querySelector('#log-tools:not([hidden])')");
    // What it hears comes from here from now on.
    hidden(tab, true);
    tab.run(
        """
        window.EventSource = class {
          constructor(address) { if (address.includes('/log?')) window.heard = this; }
          addEventListener() {}
          close() {}
        };
        window.say = text => heard.onmessage({data: JSON.stringify({text, left: 0}), lastEventId: '1'});
        """
            + "0");
    hidden(tab, false);
    tab.await("window.heard");
    String log = "document.querySelector('.log').textContent";
    tab.run(
        "say('[0 node-a] #stoker: progress 1\\n[1] #stoker: progress 1\\n[1 node-b] kept #stoker: so\\n')");
    assertThat(tab.run(log).asText()).isEqualTo("[1 node-b] kept #stoker: so\n");
    assertThat(tab.run("document.querySelector('#log-found').textContent").asText())
        .isEqualTo("2 folded");
    tab.run("say('another line\\n'.repeat(200000)); say('the end\\n')");
    String leftOut = "[the beginning is left out here: Download has all]\n";
    assertThat(tab.run(log + ".slice(0, 65)").asText()).startsWith(leftOut + "another line");
    assertThat(tab.run(log + ".endsWith('another line\\nthe end\\n')").asBoolean()).isTrue();
    tab.run("document.querySelector('#log-search').focus()");
    tab.type("THE END");
    assertThat(tab.run(log + ".trim()").asText()).isEqualTo(leftOut + "the end");
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
    assertThat(tab.complaints()).isEmpty();
  }

  private static void hidden(Chromium.Tab tab, boolean hidden) {
    tab.run(
        "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
            .formatted(hidden));
  }
}
