package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.fixture.Chromium;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What people do with the page, in a real browser on a real stack with two simulated GPUs. */
@TestInstance(Lifecycle.PER_CLASS)
@BesideTheSharedStack
@Execution(ExecutionMode.SAME_THREAD) // a drained host would have the others' jobs wait
@Timeout(1_200)
class PageOnGpusTest {
  private static final Map<String, Object> A_GPU = Map.of("gpus", 1);

  @TempDir Path folder;
  private StokerStack stack;
  private Chromium browser;
  private Chromium.Tab tab;
  private String url;

  @BeforeAll
  void start() throws Exception {
    Path program = Chromium.program();
    stack = StokerStack.start("page", StackOptions.DEFAULT.withGpus(2));
    url = stack.processes().info().url();
    browser = Chromium.start(program);
  }

  @AfterAll
  void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (stack != null) {
      stack.close();
    }
  }

  @BeforeEach
  void open() throws Exception {
    tab = browser.open(1200, 800);
  }

  @AfterEach
  void close() {
    tab.close();
    stack.endWhatIsLeft();
  }

  /** In one step: the page may be drawn again at any time. */
  private void click(String selector) {
    tab.await(
        "[...document.querySelectorAll(\""
            + selector
            + "\")].slice(0, 1).map(one => one.click()).length");
  }

  @Test
  void failure_isFoundFromNowToItsOutputByTwoClicks() throws Exception {
    stack.post(
        Posted.script("pg-broken", "echo the fan is broken; exit 3").with("resources", A_GPU));
    assertThat(stack.statuses().awaitEnd("pg-broken").state()).isEqualTo(RequestState.FAILED);

    tab.go(url + "/");
    click("[aria-labelledby=failures] a[href*='code=APP_FAILURE']");
    click("#job-pg-broken a.id");
    tab.await("document.querySelector('pre.log').innerText.includes('the fan is broken')");
    assertThat(tab.run("location.pathname").asText()).isEqualTo("/requests/pg-broken");
  }

  @Test
  void sweep_isWatchedAsItGoesOn() throws Exception {
    Path sweep = folder.resolve("pg-sweep.yaml");
    Files.writeString(
        sweep,
        """
        name: pg-sweep
        objective: max
        request:
          command: [sh, -c, "until [ -e '%s/go-${params.x}' ]; do sleep 0.1; done; echo '#stoker:result ${params.x}'"]
          resources: {gpus: 1, sharing: shared}
        grid:
          x: [1, 2, 3]
        """
            .formatted(folder));
    new CommandLine(folder, stack).output("sweep", sweep.toString(), "--detach");
    stack.statuses().await("pg-sweep-1", RequestState.RUNNING);
    tab.go(url + "/groups/pg-sweep");
    tab.run("window.opened = true");
    for (int x : new int[] {2, 1, 3}) {
      Files.createFile(folder.resolve("go-" + x));
      stack.statuses().awaitEnd("pg-sweep-" + x);
      tab.await("document.querySelector('#job-pg-sweep-%d .s-succeeded')".formatted(x));
      int best = Math.max(x, 2);
      tab.await(
          "[...document.querySelectorAll('dl b')].some(b => Number(b.textContent) === %d)"
              .formatted(best));
    }
    tab.await("document.querySelector('h1 .chip').textContent === 'finished'");
    assertThat(tab.run("document.querySelector('[aria-labelledby=ranked] tbody a').textContent"))
        .hasToString("\"pg-sweep-3\"");
    assertThat(tab.run("document.querySelectorAll('[aria-labelledby=params] figure').length"))
        .hasToString("1");
    assertThat(tab.run("window.opened").asBoolean()).as("the same page all along").isTrue();
  }

  @Test
  void host_isDrainedByItsFormWhileAJobEndsOnItsGpu() throws Exception {
    Gate gate = Gate.in(folder, "drained");
    stack.post(Posted.script("pg-last", gate.await()).with("resources", A_GPU));
    stack.statuses().await("pg-last", RequestState.RUNNING);
    tab.go(url + "/hosts/" + GpuHost.NAME);
    tab.await("document.querySelector(\"a[href='/requests/pg-last']\")");
    tab.run("document.querySelectorAll('[name=reason]').forEach(one => one.value = 'a new fan')");
    click("[formaction$='/drain']");
    try {
      tab.await("document.querySelector('h1 .chip').textContent === 'draining'");
      tab.await("document.body.innerText.includes('a new fan')");
      assertThat(stack.statuses().newest().get("pg-last").state()).isEqualTo(RequestState.RUNNING);

      gate.open();
      tab.await("document.querySelector('h1 .chip').textContent === 'drained'");
      stack.post(Posted.script("pg-next", "true").with("resources", A_GPU));
      stack.statuses().await("pg-next", RequestState.QUEUED);
      click("[formaction$='/uncordon']");
      tab.await("document.querySelector('h1 .chip').textContent === 'up'");
      assertThat(stack.statuses().awaitEnd("pg-next").state()).isEqualTo(RequestState.SUCCEEDED);
    } finally {
      new CommandLine(folder, stack).output("uncordon", GpuHost.NAME);
    }
  }

  @Test
  void linkOfAFilteredList_showsTheSameInAnotherBrowser() throws Exception {
    for (String id : new String[] {"pg-link-1", "pg-link-2", "pg-other"}) {
      stack.post(
          Posted.script(id, "true").with("labels", Map.of("of", id.substring(0, id.length() - 1))));
      stack.statuses().awaitEnd(id);
    }
    tab.go(url + "/requests");
    tab.run("document.querySelector('[name=label]').value = 'of=pg-link-'");
    click("form.filters button");
    tab.await("location.search.includes('label=') && document.querySelectorAll('tbody tr').length");
    await()
        .atMost(StatusLog.PATIENCE)
        .until(
            () ->
                rows(tab).contains("pg-link-1 succeeded")
                    && rows(tab).contains("pg-link-2 succeeded"));
    assertThat(rows(tab)).doesNotContain("pg-other");
    try (Chromium another = Chromium.start(Chromium.program());
        Chromium.Tab second = another.open(400, 700)) {
      second.go(tab.run("location.href").asText());
      String shown = rows(tab);
      await("the same rows").atMost(StatusLog.PATIENCE).until(() -> rows(second), shown::equals);
    }
  }

  /** The id and the state of each job that is listed. */
  private static String rows(Chromium.Tab tab) throws IOException {
    return tab.run(
            "[...document.querySelectorAll('tbody tr')].map(row => row.querySelector('a.id').textContent + ' '"
                + " + row.querySelector('.chip').textContent).join(', ')")
        .asText();
  }
}
