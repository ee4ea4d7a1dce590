package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.dispatcher.service.testing.Chromium;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The page in a real Chromium, which does what its policies say. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageInBrowserTest extends RestContract {
  private static final String EVIL = "<img src=x onerror=document.title=1>";

  /** How often a page was fetched again. */
  private static final String FETCHES =
      "performance.getEntriesByType('resource').filter(one => one.name === location.href).length";

  private Chromium browser;

  @BeforeEach
  void startBrowser() throws Exception {
    Optional<Path> program = Chromium.found();
    assumeTrue(program.isPresent(), "no Chromium: apt-get install chromium");
    if (browser == null) {
      browser = Chromium.start(program.get());
    }
  }

  @AfterAll
  void stopBrowser() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @Override
  Optional<Ending> ending(Place place) {
    return place.program().command().contains(ENDLESS)
        ? Optional.empty()
        : Optional.of(new Ending(Outcome.FAILED, null, 1, EVIL + " & said\n"));
  }

  private Chromium.Tab at(String address) throws Exception {
    Chromium.Tab tab = browser.open(1200, 800);
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
    RestAssured.given().delete("/requests/{id}", id).then().statusCode(202);
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
    RestAssured.given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
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
