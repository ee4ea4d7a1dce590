package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.stoker.common.fixture.Chromium;
import io.stoker.common.security.AccessTokens;
import io.stoker.dispatcher.service.testing.Accessibility;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** The page in a real Chromium, where tokens are asked for. */
@QuarkusTest
@OnRealServices
@TestProfile(AccessTest.WithTokens.class)
class LoginInBrowserTest {
  @Test
  void login_isForEverybodyByKeyboardAndLeadsToWhatWasAskedFor() throws Exception {
    Path program = Chromium.program();
    try (Chromium browser = Chromium.start(program);
        Chromium.Tab tab = browser.open(1200, 800)) {
      String view = "http://127.0.0.1:" + RestAssured.port + "/requests?queue=default";
      tab.go(view);
      isForEverybody(tab, "login");
      tab.go(view);
      logIn(tab, "wrong");
      tab.await("document.querySelector('[role=alert]')");
      isForEverybody(tab, "login after a wrong token");
      tab.go(view);
      logIn(tab, AccessTokens.PREFIX + "reader");
      tab.await("location.search === '?queue=default' && document.querySelector('form.who')");
      assertThat(tab.run("document.querySelector('form.who span').textContent").asText())
          .isEqualTo("reader");
      tab.tabTo(".who button.quiet");
      tab.press("Enter");
      tab.await("document.querySelector('#token')");
    }
  }

  /** What is typed goes where the focus is from the beginning. */
  private static void logIn(Chromium.Tab tab, String token) {
    tab.await("document.activeElement.id === 'token'");
    tab.type(token);
    tab.press("Enter");
  }

  private static void isForEverybody(Chromium.Tab tab, String view) throws IOException {
    SoftAssertions found = new SoftAssertions();
    tab.size(1200, 800);
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
    found.assertAll();
  }
}
