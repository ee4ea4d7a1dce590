package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.TemporaryData;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.fixture.Chromium;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A page that stays open in a real browser while its dispatcher is killed, and while the whole
 * stack is stopped and started again: it says that it is cut off, comes back by itself, and follows
 * on.
 */
@Timeout(1_200)
@BesideTheSharedStack
class PageOfARestartedStackTest {
  private static final String LOST =
      "document.querySelector('#lost.on').innerText.startsWith('The connection to the dispatcher is lost since')"
          + " && document.querySelector('#pause').textContent === 'lost'";
  private static final String BACK =
      "!document.querySelector('#lost.on') && document.querySelector('#pause').textContent === 'live'";

  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final StackOptions OPTIONS =
      StackOptions.DEFAULT.withAgentEnvironment(StokerStack.WITHOUT_GPUS);

  @Test
  void pageSaysThatItIsCutOffAndComesBack() throws Exception {
    Path program = Chromium.program();
    try (TemporaryData data = TemporaryData.create("stoker-e2e");
        Chromium browser = Chromium.start(program);
        Chromium.Tab tab = browser.open(1200, 800)) {
      String url;
      try (EmbeddedStack stack = EmbeddedStack.start(data.folder(), OPTIONS)) {
        url = stack.info().url();
        tab.go(url + "/requests?prefix=of-page");
        tab.run("window.opened = true");
        follows(tab, url, "of-page-1");

        Child dispatcher = stack.child("dispatcher-1");
        long killed = dispatcher.pid().orElseThrow();
        dispatcher.kill();
        tab.await(LOST);
        dispatcher.awaitAnother(killed, PATIENCE);
        stack.awaitServing(dispatcher, PATIENCE);
        tab.await(BACK);
        follows(tab, url, "of-page-2");
      }
      tab.await(LOST);
      try (EmbeddedStack again = EmbeddedStack.start(data.folder(), OPTIONS)) {
        assertThat(again.info().url()).isEqualTo(url);
        tab.await(BACK);
        follows(tab, url, "of-page-3");
        assertThat(tab.run("window.opened").asBoolean()).as("the same page all along").isTrue();
      }
    }
  }

  /** It shows, by itself, a job that is posted now, and the job's end. */
  private static void follows(Chromium.Tab tab, String url, String id) throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(URI.create(url + "/requests"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Posted.script(id, "echo " + id).bytes()))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertThat(http.send(post, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(202);
    }
    tab.await("document.querySelector('#job-%s .s-succeeded')".formatted(id));
  }
}
