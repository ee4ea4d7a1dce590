package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.Accessibility;
import io.stoker.dispatcher.service.testing.Chromium;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
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

/** The page in a real Chromium, which does what its policies say. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageInBrowserTest extends RestContract {
  private static final String EVIL = "<img src=x onerror=document.title=1>";

  private static final String SCORED = "scored";

  /** How often a page was fetched again. */
  private static final String FETCHES =
      "performance.getEntriesByType('resource').filter(one => one.name === location.href).length";

  private final List<Chromium.Tab> tabs = new ArrayList<>();
  private Chromium browser;

  @BeforeEach
  void startBrowser() throws Exception {
    Optional<Path> program = Chromium.found();
    assumeTrue(program.isPresent(), "no Chromium: apt-get install chromium");
    if (browser == null) {
      browser = Chromium.start(program.get());
    }
  }

  @AfterEach
  void closeTabs() {
    tabs.forEach(Chromium.Tab::close);
    tabs.clear();
  }

  @AfterAll
  void stopBrowser() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @Override
  Optional<Ending> ending(Place place) {
    List<String> command = place.program().command();
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
    hidden(list, true);
    int fetches = list.run(FETCHES).asInt();
    post(request(id, id)).statusCode(202);
    awaitState(id, "FAILED");
    assertThat(list.run("document.querySelector('main').innerText").asText())
        .doesNotContain("failed\t");
    assertThat(list.run(FETCHES).asInt()).isEqualTo(fetches);
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
    String running = inGroup(group, ENDLESS, "RUNNING");
    inGroup(group, SCORED, "SUCCEEDED");
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
            "/groups",
            "/groups/" + ofGroup.substring("group=".length()).replace("+", "%20"),
            "/queues",
            "/pools",
            "/kinds",
            letters,
            "/requests/" + failed,
            "/requests/" + running,
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
    given().delete("/requests/{id}", running).then().statusCode(202);
    awaitState(running, "CANCELLED");
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
    awaitState(id, "RUNNING");
    return id;
  }

  private static void hidden(Chromium.Tab tab, boolean hidden) {
    tab.run(
        "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
            .formatted(hidden));
  }
}
