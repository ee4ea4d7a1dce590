package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.local.ProcessRef;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.cli.Stoker.Running;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The commands for jobs, called as a shell calls them, on a stack of real processes. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class CommandsTest {
  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  CommandsTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() {
    stoker = new Stoker(stack.data().root(), folder);
  }

  @Test
  void runHandsOnOutputAndExitCodeAndRunsHere() throws Exception {
    Ended ended = stoker.run("run", "--", "sh", "-c", "pwd; echo hé; echo oh >&2; exit 7");

    assertThat(ended.exitCode()).isEqualTo(7);
    assertThat(ended.out()).isEqualTo(folder.toRealPath() + "\nhé\n");
    assertThat(ended.err()).as("a word on its wait at most").endsWith("oh\n");
  }

  @Test
  void runAlwaysRuns() throws Exception {
    Ended first = stoker.run("run", "--", "sh", "-c", "echo x >> count; wc -l < count");
    Ended second = stoker.run("run", "--", "sh", "-c", "echo x >> count; wc -l < count");

    assertThat(first.out().strip()).isEqualTo("1");
    assertThat(second.out().strip()).isEqualTo("2");
  }

  @Test
  void runWithoutAnExitCodeEndsWith125() throws Exception {
    Ended ended = stoker.run("run", "--", "/no/such/program");

    assertThat(ended.exitCode()).isEqualTo(125);
    assertThat(ended.err()).contains("LAUNCH_FAILURE", "/no/such/program");
  }

  @Test
  void toldToEndItCancelsTheJobAndItsWholeTree() throws Exception {
    Running running =
        stoker.start("", "run", "--", "sh", "-c", "setsid sleep 600 & echo $!; sleep 600 & wait");
    await().atMost(StatusLog.PATIENCE).until(() -> running.outSoFar().endsWith("\n"));
    long escaped = Long.parseLong(running.outSoFar().strip());
    ProcessRef sleeper = ProcessRef.of(ProcessHandle.of(escaped).orElseThrow());
    running.process().destroy();
    Ended ended = running.await();

    assertThat(ended.exitCode()).isEqualTo(130);
    assertThat(ended.err()).contains("cancelling run-", "CANCELLED");
    assertThat(sleeper.find()).isEmpty();
  }

  @Test
  void submitWaitsAndStatusTellsAsTheTopicDoes() throws Exception {
    String request =
        "{\"id\":\"cli-one\",\"command\":[\"sh\",\"-c\",\"echo '#stoker:result 0.5'\"]}";
    Ended submitted = stoker.runWithInput(request, "submit", "-", "--wait");
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    assertThat(submitted.out()).isEqualTo("cli-one\n");

    // What reads by id may be a moment behind the topic, as the last output may.
    JsonNode tree =
        await()
            .atMost(StatusLog.PATIENCE)
            .until(
                () -> Json.read(stoker.run("status", "--json", "cli-one").out()),
                shown -> shown.path("state").asText().equals("SUCCEEDED"));
    assertThat(tree.path("score").asDouble()).isEqualTo(0.5);
    assertThat(stoker.run("status", "cli-one", "cli-nobody").exitCode()).isEqualTo(4);
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker.run("logs", "--raw", "cli-one").out().contains("#stoker:result 0.5"));
    assertThat(stoker.run("logs", "cli-one").out()).isEmpty();
    assertThat(stoker.run("explain", "cli-one").out()).startsWith("cli-one SUCCEEDED:");
    assertThat(stoker.run("wait", "cli-one").exitCode()).isZero();
  }

  @Test
  void manyGoByKafkaAndAnIdInUseIsToldByItsDeadLetter() throws Exception {
    stack.post(Posted.script("cli-taken", "true"));
    stack.statuses().awaitEnd("cli-taken");
    String requests =
        IntStream.range(0, 250)
            .mapToObj(i -> "{\"id\":\"cli-many-%d\",\"command\":[\"true\"]}\n".formatted(i))
            .collect(Collectors.joining());
    String taken = "{\"id\":\"cli-taken\",\"command\":[\"something-else\"]}\n";

    Ended good = stoker.runWithInput(requests, "submit", "-", "--wait", "--json");
    assertThat(good.exitCode()).as(good.err()).isZero();
    assertThat(good.out().lines()).hasSize(250).allMatch(line -> line.contains("SUCCEEDED"));

    Ended bad = stoker.runWithInput(requests + taken, "submit", "-", "--wait");
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("cli-taken REJECTED").contains("other content");
  }

  @Test
  void badRequestsAreNamedAndNothingIsSent() throws Exception {
    String requests =
        "{\"id\":\"cli-good\",\"command\":[\"true\"]}\n{\"id\":\"cli-bad\",\"command\":[\"true\"],"
            + "\"resources\":{\"gpus\":-1}}\n";
    Ended ended = stoker.runWithInput(requests, "submit", "-");

    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err()).contains("line 2", "cli-bad", "resources.gpus", "-1", "expected");
    assertThat(stoker.run("status", "cli-good").exitCode()).isEqualTo(4);
  }

  @Test
  void waitTellsByItsExitCodeHowAGroupEnded() throws Exception {
    String requests =
        "[{\"id\":\"cli-g1\",\"command\":[\"sleep\",\"600\"],\"group\":\"cli-g\"},"
            + "{\"id\":\"cli-g2\",\"command\":[\"true\"],\"group\":\"cli-g\"}]";
    assertThat(stoker.runWithInput(requests, "submit", "-").exitCode()).isZero();
    stack.statuses().await("cli-g1", RequestState.RUNNING);
    stack.statuses().awaitEnd("cli-g2");

    assertThat(stoker.run("wait", "--group", "cli-g", "--timeout", "1s").exitCode()).isEqualTo(124);
    assertThat(stoker.run("list", "--group", "cli-g", "--state", "running").out())
        .contains("cli-g1")
        .doesNotContain("cli-g2");
    Running waiting = stoker.start("", "wait", "--group", "cli-g");
    assertThat(stoker.run("cancel", "cli-g1", "--reason", "bad data").out()).isEqualTo("cli-g1\n");
    Ended waited = waiting.await();
    assertThat(waited.exitCode()).isEqualTo(1);
    assertThat(waited.err()).contains("cli-g1 CANCELLED");
    assertThat(stack.statuses().awaitEnd("cli-g1").reason()).contains("bad data");
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker.run("status", "cli-g1").out().contains("bad data"));
    assertThat(stoker.run("wait", "cli-nobody").exitCode()).isEqualTo(4);
    assertThat(stoker.run("wait", "--group", "cli-nobodys").exitCode()).isEqualTo(4);
    assertThat(stoker.run("group", "cli-empty", "--create").exitCode()).isZero();
    assertThat(stoker.run("group", "cli-empty", "--close").exitCode()).isZero();
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker.run("wait", "--group", "cli-empty").exitCode() == 0);
    assertThat(stoker.run("group", "cli-g", "--close").out()).isEqualTo("cli-g\n");
    JsonNode group =
        await()
            .atMost(StatusLog.PATIENCE)
            .until(
                () -> Json.read(stoker.run("group", "cli-g", "--json").out()),
                shown -> shown.path("state").asText().equals("ENDED"));
    assertThat(group.path("cancelled").asInt()).isEqualTo(1);
    assertThat(stoker.run("group", "cli-g").out()).contains("cli-g [####", "2 of 2", "SUCCEEDED");
    assertThat(stoker.run("group", "cli-g", "--report").out().lines()).hasSize(2);
    assertThat(stoker.run("group", "cli-nogroup").exitCode()).isEqualTo(4);
  }

  @Test
  void whatAJobSaysOfItsResultIsShown() throws Exception {
    Path gate = folder.resolve("says");
    String says =
        "until [ -e %s ]; do sleep 0.1; done; echo '#stoker:result 0.5';"
            + " echo '#stoker:result 0.75'";
    String request = "{\"id\":\"cli-says\",\"command\":[\"sh\",\"-c\",\"%s\"]}";
    assertThat(
            stoker.runWithInput(request.formatted(says.formatted(gate)), "submit", "-").exitCode())
        .isZero();
    stack.statuses().await("cli-says", RequestState.RUNNING);
    Files.createFile(gate);
    stack.statuses().awaitEnd("cli-says");

    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker.run("results", "cli-says", "--json").out().lines().count() == 2);
    assertThat(stoker.run("results", "cli-says").out()).containsSubsequence("SCORE", "0.5", "0.75");
    assertThat(stoker.run("results", "cli-nobody").exitCode()).isEqualTo(4);
  }

  @Test
  void whatFailedIsRetriedAndWhatSucceededForgotten() throws Exception {
    String flaky = "{\"id\":\"cli-flaky\",\"command\":[\"sh\",\"-c\",\"test -e '%s'\"]}";
    Path repaired = folder.resolve("repaired");
    String request = flaky.formatted(repaired);
    assertThat(stoker.runWithInput(request, "submit", "-", "--wait").exitCode()).isEqualTo(1);
    Files.createFile(repaired);

    Ended retried = stoker.run("retry", "cli-flaky");
    String retry = retried.out().strip();
    stack.statuses().awaitEnd(retry);
    assertThat(retry).startsWith("cli-flaky.r");
    assertThat(stoker.run("wait", retry).exitCode()).isZero();
    assertThat(stoker.run("status", "cli-flaky").out()).contains("FAILED");
    assertThat(stoker.run("retry", retry).exitCode()).isEqualTo(2);
    assertThat(stoker.run("priority", retry, "5").err())
        .contains("expected one that has not ended");

    assertThat(stoker.run("forget", retry).out().strip()).isEqualTo(retry);
    Ended again =
        stoker.runWithInput(
            request.replace("cli-flaky", "cli-anew"), "submit", "-", "--wait", "--json");
    assertThat(Json.read(again.out()).path("state").asText()).isEqualTo("SUCCEEDED");
  }

  @Test
  void hostsAreShownAndCordoned() throws Exception {
    // An agent registers a moment after its stack is ready.
    await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(stoker.run("hosts").out()).contains("host-2"));
    assertThat(stoker.run("cordon", "host-2", "--reason", "a fan").out()).isEqualTo("host-2\n");
    try {
      await()
          .atMost(StatusLog.PATIENCE)
          .untilAsserted(
              () -> assertThat(stoker.run("hosts").out()).contains("CORDONED").contains("a fan"));
    } finally {
      assertThat(stoker.run("uncordon", "host-2").exitCode()).isZero();
    }
    assertThat(stoker.run("hosts", "events", "host-2").out())
        .contains("STARTED", "CORDONED", "a fan");
    assertThat(stoker.run("cordon", "cli-nohost").exitCode()).isEqualTo(4);
    assertThat(stoker.run("hosts", "events", "cli-nohost").exitCode()).isEqualTo(4);
  }

  @Test
  void aDrainedHostHandsItsJobsOn() throws Exception {
    stack.post(
        Posted.script("cli-moved", "[ \"$STOKER_ATTEMPT\" -gt 1 ] || sleep 600")
            .with("retry", Map.of("app", 0)));
    String host = stack.statuses().await("cli-moved", RequestState.RUNNING).host();
    try {
      Ended drained = stoker.run("drain", host, "--reason", "a fan", "--within", "1s", "--wait");
      assertThat(drained.exitCode()).as(drained.err()).isZero();
      assertThat(stoker.run("hosts").out()).contains("DRAINED", "a fan");
      assertThat(stoker.run("drain", host, "--wait").exitCode()).isZero();
      assertThat(stoker.run("hosts").out())
          .as("asked for again without a reason")
          .contains("a fan")
          .doesNotContain("null");

      RequestStatus end = stack.statuses().awaitEnd("cli-moved");
      assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.host()).isNotEqualTo(host);
      assertThat(end.attempt()).isEqualTo(2);
      Ended shown = stoker.run("show", "cli-moved");
      assertThat(shown.out()).contains("STOKER_ATTEMPT", "retry     {\"app\":0}");
      assertThat(shown.out().lines())
          .anyMatch(line -> line.matches(" *1 +" + host + " .* DRAINED .*moved, as host.*a fan"))
          .anyMatch(line -> line.matches(" *2 +" + end.host() + " .* SUCCEEDED .*"));
      JsonNode details = Json.read(stoker.run("show", "cli-moved", "--json").out());
      assertThat(details.at("/attempts/0/startedAt").asText())
          .isLessThan(details.at("/attempts/0/endedAt").asText());
      assertThat(stoker.run("show", "cli-nobody").exitCode()).isEqualTo(4);
    } finally {
      assertThat(stoker.run("uncordon", host).exitCode()).isZero();
    }
    assertThat(stoker.run("drain", "cli-nohost").exitCode()).isEqualTo(4);
  }
}
