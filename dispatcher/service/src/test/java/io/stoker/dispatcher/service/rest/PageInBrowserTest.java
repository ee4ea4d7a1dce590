package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

  private Path folder;

  @BeforeEach
  void makeFolder() throws Exception {
    folder = Files.createTempDirectory("stoker-browser");
  }

  @AfterEach
  void deleteFolder() throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  @Override
  Optional<Ending> ending(Place place) {
    return Optional.of(new Ending(Outcome.FAILED, null, 1, EVIL + " & said\n"));
  }

  @Test
  void views_breakNoPolicyAndShowOutputAsText() throws Exception {
    String id = id();
    post("{\"id\":\"%1$s\",\"command\":[\"x\",\"%2$s\"],\"user\":\"%2$s\",\"group\":\"%1$s\",\"labels\":{\"l\":\"%2$s\"}}"
            .formatted(id, EVIL))
        .statusCode(202);
    awaitState(id, "FAILED");

    String job = shown("/requests/" + id);
    assertThat(job)
        .contains("&lt;img src=x onerror=document.title=1&gt; &amp; said")
        .contains("<title>" + id);
    for (String view : List.of("/", "/hosts", "/hosts/" + host, "/requests", "/groups")) {
      assertThat(shown(view)).contains("aria-current=\"page\"");
    }
  }

  /** The page as it is once its scripts have run; it contains no image of anybody else's. */
  private String shown(String view) throws Exception {
    Optional<Path> chromium = chromium();
    assumeTrue(chromium.isPresent(), "no Chromium: apt-get install chromium");
    Path page = folder.resolve("page.html");
    Path said = folder.resolve("said.log");
    List<String> command = new ArrayList<>();
    command.add(chromium.get().toString());
    command.addAll(
        List.of(
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--enable-logging=stderr",
            "--user-data-dir=" + folder.resolve("profile"),
            "--virtual-time-budget=10000",
            "--dump-dom",
            "http://127.0.0.1:" + RestAssured.port + view));
    Process browser =
        new ProcessBuilder(command)
            .redirectOutput(page.toFile())
            .redirectError(said.toFile())
            .start();
    try {
      assertThat(browser.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).as(view).isTrue();
    } finally {
      Stream.concat(browser.descendants(), Stream.of(browser.toHandle()))
          .forEach(ProcessHandle::destroyForcibly);
      browser.waitFor();
    }
    assertThat(Files.readString(said))
        .as(view)
        .doesNotContain("Content Security Policy", "Uncaught", "Failed to load");
    String dom = Files.readString(page);
    assertThat(dom).as(view).doesNotContain("<img src=\"x\"", "<img src=x");
    return dom;
  }

  private static Optional<Path> chromium() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(on -> Stream.of("chromium", "google-chrome").map(name -> Path.of(on, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
