package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.cli.Stoker.Running;
import io.stoker.e2e.stack.OutputLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What commands tell people who wait, look for something, or asked for what cannot be. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class ReadingCommandsTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  ReadingCommandsTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() {
    stoker = new Stoker(stack.data().root(), folder);
  }

  @Test
  void whoWaitsIsToldWhyAndAgainWhenThatChanges() throws Exception {
    Running run = stoker.start("", "run", "--id", "rd-nine", "--gpus", "9", "true");
    awaitErr(run, "rd-nine QUEUED: no host can ever serve 9 GPU(s)");

    Path gate = folder.resolve("gate");
    stack.post(
        Posted.script("rd-first", "until [ -e %s ]; do sleep 0.1; done".formatted(gate)),
        Posted.script("rd-second", "true")
            .dependingOn("rd-first")
            .with("resources", Map.of("gpus", 9)));
    stack.statuses().await("rd-first", RequestState.RUNNING);
    Running wait = stoker.start("", "wait", "rd-second");
    awaitErr(wait, "rd-second WAITING: waits for rd-first (RUNNING)");
    Files.createFile(gate);
    awaitErr(wait, "rd-second QUEUED: no host can ever serve 9 GPU(s)");

    Ended cancelled = stoker.run("cancel", "rd-nine", "rd-second");
    assertThat(cancelled.exitCode()).isZero();
    assertThat(run.await().exitCode()).isEqualTo(125);
    assertThat(wait.await().exitCode()).isEqualTo(1);
  }

  private static void awaitErr(Running running, String text) {
    await(text)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(Files.readString(running.err())).contains(text));
  }

  @Test
  void aListSaysThatThereIsMoreAndFindsWhatIsLookedFor() throws Exception {
    for (String id : List.of("rd-list-1", "rd-list-2", "rd-list-3")) {
      Posted request =
          Posted.script(id, "exit 3 # " + id + " by name")
              .with("group", "rd-list")
              .with("user", id.endsWith("3") ? "ada" : "bob");
      stack.post(id.endsWith("1") ? request.with("labels", Map.of("team", "one")) : request);
      stack.statuses().awaitEnd(id);
    }

    Ended first = stoker.run("list", "--group", "rd-list", "--limit", "2");
    assertThat(first.out()).contains("rd-list-3", "rd-list-2").doesNotContain("rd-list-1");
    assertThat(first.err()).contains("there are more");
    assertThat(stoker.run("list", "--group", "rd-list").err()).isEmpty();

    assertThat(listed("--user", "ada")).containsExactly("rd-list-3");
    assertThat(listed("--label", "team=one")).containsExactly("rd-list-1");
    assertThat(listed("--prefix", "rd-list-2")).containsExactly("rd-list-2");
    assertThat(listed("RD-LIST-2 BY")).as("in the command").containsExactly("rd-list-2");
    assertThat(listed("exit code 3")).as("in the reason").hasSize(3);
    assertThat(listed("--state", "RUNNING,SUCCEEDED")).isEmpty();
    assertThat(listed("--state", "running,failed")).hasSize(3);
    assertThat(listed("--since", "1h")).hasSize(3);
    assertThat(listed("--until", "1h")).isEmpty();
    assertThat(listed("--sort", "id")).containsExactly("rd-list-1", "rd-list-2", "rd-list-3");
    String host =
        Json.read(stoker.run("status", "--json", "rd-list-1").out()).path("host").asText();
    assertThat(listed("--host", host)).contains("rd-list-1");
    assertThat(listed("--host", "rd-nohost")).isEmpty();
    assertThat(
            stoker
                .run("list", "--group", "rd-list", "--columns", "id,user,command", "--sort", "-id")
                .out()
                .lines()
                .toList())
        .satisfiesExactly(
            line -> assertThat(line.split(" +")).containsExactly("ID", "USER", "COMMAND"),
            line -> assertThat(line).startsWith("rd-list-3  ada   sh -c exit 3 # rd-list-3"),
            line -> assertThat(line).startsWith("rd-list-2  bob"),
            line -> assertThat(line).startsWith("rd-list-1  bob"));
    assertThat(stoker.run("list", "--since", "yesterday").err()).contains("--since", "2h");
  }

  private List<String> listed(String... arguments) throws Exception {
    List<String> command =
        new java.util.ArrayList<>(List.of("list", "--group", "rd-list", "--json"));
    command.addAll(List.of(arguments));
    Ended ended = stoker.run(command.toArray(String[]::new));
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return ended.out().lines().map(line -> json(line)).toList();
  }

  private static String json(String line) {
    try {
      return Json.read(line).path("id").asText();
    } catch (io.stoker.common.json.MalformedJson e) {
      throw new AssertionError(line, e);
    }
  }

  @Test
  void outputThatCannotBeWrittenIsAnError() throws Exception {
    Ended full = stoker.runInto(Path.of("/dev/full"), "kinds", "--json");
    assertThat(full.exitCode()).isEqualTo(1);
    assertThat(full.err()).contains("the output could not be written", "No space left");

    Ended help = stoker.runInto(Path.of("/dev/full"), "--help");
    assertThat(help.exitCode()).isEqualTo(1);
    Ended job = stoker.runInto(Path.of("/dev/full"), "run", "--id", "rd-full", "echo", "hi");
    assertThat(job.exitCode()).isEqualTo(1);
    assertThat(job.err()).contains("the output could not be written");
  }

  @Test
  void whatWasRefusedIsListedExplainedAndAmongTheDeadLetters() throws Exception {
    stack
        .producer()
        .request(
            "rd-refused",
            "{\"id\":\"rd-refused\",\"command\":[\"true\"],\"priority\":5000}"
                .getBytes(StandardCharsets.UTF_8));
    stack.producer().flush();
    stack.statuses().await("rd-refused", RequestState.REJECTED);

    assertThat(stoker.run("list", "--state", "REJECTED", "--prefix", "rd-refused").out())
        .contains("rd-refused", "REJECTED", "priority: 5000");
    // Fast memory alone knows why, and may not answer in time.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Ended explained = stoker.run("explain", "rd-refused");
              assertThat(explained.out())
                  .as(explained.err())
                  .startsWith("rd-refused REJECTED: was refused, and never ran")
                  .contains("priority: 5000");
            });
    Ended letters = stoker.run("dead-letters", "rd-refused", "--since", "1h");
    assertThat(letters.out()).contains("stoker.requests", "rd-refused", "priority: 5000");
    assertThat(Json.read(stoker.run("dead-letters", "rd-refused", "--json").out()).path("value"))
        .hasToString(Json.text("{\"id\":\"rd-refused\",\"command\":[\"true\"],\"priority\":5000}"));
    assertThat(stoker.run("dead-letters", "--limit", "1").out().lines()).hasSize(2);
  }

  @Test
  void anAgentWithoutItsKeyIsToldOf() throws Exception {
    stack
        .producer()
        .send(
            new ProducerRecord<>(
                stack.topics().heartbeats(),
                "rd-stranger",
                "{\"type\":\"goodbye\",\"host\":\"rd-stranger\",\"epoch\":1}"
                    .getBytes(StandardCharsets.UTF_8)));
    stack.producer().flush();

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(stoker.run("hosts").err())
                    .contains("rd-stranger: its agent's messages are ignored", "stoker.agent.key"));
  }

  @Test
  void aPolicyThatIsRefusedIsToldToWhoAskedAndSticksToNothing() throws Exception {
    Ended refused = stoker.run("policy", "host-1", "rd-lucky");

    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("host-1 keeps its policy", "rd-lucky");
    assertThat(stoker.run("hosts").out()).doesNotContain("rd-lucky");
  }

  @Test
  void aBadDataFolderIsNamedByUpAndDoctor() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));

    Ended up = stoker.run("up", "--detach", "--data", file.toString());
    assertThat(up.exitCode()).isEqualTo(2);
    assertThat(up.err()).contains(file.toString(), "expected a folder").doesNotContain("java");
    Ended doctor = stoker.run("doctor", "--data", file.resolve("below").toString());
    assertThat(doctor.exitCode()).isEqualTo(1);
    assertThat(doctor.out()).contains("FAIL disk: " + file + " is a file");
  }

  @Test
  void logsAreCutToWhatIsAskedFor() throws Exception {
    stack.post(
        Posted.script(
                "rd-logs",
                "echo one; echo '#stoker:progress 0.5'; echo two; echo three; echo bad >&2; exit 3")
            .with("group", "rd-logs"),
        Posted.script("rd-quiet", "echo quiet").with("group", "rd-logs"));
    String logs = stack.statuses().awaitEnd("rd-logs").job();
    String quiet = stack.statuses().awaitEnd("rd-quiet").job();
    try (OutputLog outputs = stack.outputs()) {
      outputs.await(logs, 1);
      outputs.await(quiet, 1);
    }

    assertThat(stoker.run("logs", "rd-logs").out()).isEqualTo("one\ntwo\nthree\n");
    assertThat(stoker.run("logs", "rd-logs").err()).isEqualTo("bad\n");
    assertThat(stoker.run("logs", "--raw", "rd-logs").out()).contains("#stoker:progress 0.5\n");
    assertThat(stoker.run("logs", "--tail", "2", "-f", "rd-logs", "--rank", "0").exitCode())
        .as("no gang")
        .isEqualTo(2);
    Ended tail = stoker.run("logs", "--tail", "2", "rd-logs");
    assertThat(tail.out() + tail.err()).hasLineCount(2);
    assertThat(stoker.run("logs", "--attempt", "2", "rd-logs").out()).isEmpty();
    assertThat(stoker.run("logs", "--timestamps", "rd-logs").out().lines().toList())
        .allMatch(line -> line.matches("20\\d\\d-.*Z (one|two|three)"));
    assertThat(stoker.run("logs", "--group", "rd-logs").out())
        .contains("rd-logs: one\n", "rd-quiet: quiet\n");
    assertThat(stoker.run("logs", "--group", "rd-logs", "--failed").out())
        .contains("three")
        .doesNotContain("quiet");
  }

  @Test
  void manyAreCancelledAndPostedAgainByGroupAndState() throws Exception {
    for (String id : List.of("rd-many-1", "rd-many-2")) {
      stack.post(
          Posted.script(id, "true").with("group", "rd-many").with("resources", Map.of("gpus", 9)));
      stack.statuses().await(id, RequestState.QUEUED);
    }

    Ended raised = stoker.run("priority", "--group", "rd-many", "7");
    assertThat(raised.out().lines()).containsExactlyInAnyOrder("rd-many-1", "rd-many-2");
    Ended none = stoker.run("cancel", "--group", "rd-many", "--state", "RUNNING");
    assertThat(none.err()).contains("no such requests");
    Ended cancelled = stoker.run("cancel", "--group", "rd-many");
    assertThat(cancelled.err()).contains("cancel 2 requests (2 QUEUED)");
    stack.statuses().awaitEnd("rd-many-1");
    stack.statuses().awaitEnd("rd-many-2");
    Ended retried = stoker.run("retry", "--group", "rd-many", "--state", "CANCELLED");
    assertThat(retried.out().lines()).hasSize(2).allMatch(id -> id.startsWith("rd-many-"));
    // They come by Kafka, after they were promised.
    retried.out().lines().forEach(id -> stack.statuses().await(id, RequestState.QUEUED));
    assertThat(stoker.run("cancel", "--group", "rd-many").out().lines()).hasSize(2);
    assertThat(stoker.run("cancel").exitCode()).isEqualTo(2);
  }

  @Test
  void aRunIsLeftRunningAndSaysHowToComeBack() throws Exception {
    Ended detached =
        stoker.run("run", "--detach", "--id", "rd-left", "sh", "-c", "echo $0", "--gpus");
    assertThat(detached.out()).isEqualTo("rd-left\n");
    stack.statuses().awaitEnd("rd-left");
    assertThat(stoker.run("run", "--id", "rd-left", "true").err()).contains("taken");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(stoker.run("logs", "rd-left").out())
                    .as("options after the command are the command's")
                    .isEqualTo("--gpus\n"));

    Path gate = folder.resolve("left");
    Running run =
        stoker.start(
            "",
            "run",
            "--id",
            "rd-hung-up",
            "--",
            "sh",
            "-c",
            "echo up; until [ -e %s ]; do sleep 0.1; done".formatted(gate));
    await().atMost(PATIENCE).until(() -> run.outSoFar().equals("up\n"));
    new ProcessBuilder("kill", "-HUP", Long.toString(run.process().pid())).start().waitFor();
    Ended left = run.await();
    assertThat(left.exitCode()).isEqualTo(148);
    assertThat(left.err()).contains("rd-hung-up runs on: stoker logs -f rd-hung-up");
    Files.createFile(gate);
    assertThat(stack.statuses().awaitEnd("rd-hung-up").state()).isEqualTo(RequestState.SUCCEEDED);

    Ended input = stoker.runWithInput("a b c", "run", "-i", "--label", "rd=input", "wc", "-w");
    assertThat(input.out().strip()).isEqualTo("3");
    assertThat(Json.read(stoker.run("run", "--json", "sh", "-c", "exit 4").out()).path("exitCode"))
        .hasToString("4");
  }

  @Test
  void aRunThatSharesShowsTheOthersOutput() throws Exception {
    Path gate = folder.resolve("shared");
    String script =
        "echo begun; until [ -e %s ]; do sleep 0.1; done; echo '#stoker:result 0.25'; echo done"
            .formatted(gate);
    Running first =
        stoker.start("", "run", "--share", "--id", "rd-share-1", "--", "sh", "-c", script);
    await().atMost(PATIENCE).until(() -> first.outSoFar().equals("begun\n"));
    Running second =
        stoker.start("", "run", "--share", "--id", "rd-share-2", "--", "sh", "-c", script);
    awaitErr(second, "rd-share-2 shares the work of rd-share-1");
    await("what was written before")
        .atMost(PATIENCE)
        .until(() -> second.outSoFar().equals("begun\n"));
    Files.createFile(gate);

    assertThat(first.await().out()).isEqualTo("begun\ndone\n");
    Ended shared = second.await();
    assertThat(shared.out()).isEqualTo("begun\ndone\n");
    assertThat(shared.exitCode()).isZero();
    assertThat(shared.err()).contains("its result: 0.25");

    Ended cached = stoker.run("run", "--share", "--id", "rd-share-3", "--", "sh", "-c", script);
    assertThat(cached.out()).isEqualTo("begun\ndone\n");
    assertThat(cached.exitCode()).isZero();
    assertThat(cached.err())
        .contains("rd-share-3 is answered by the work of rd-share-1", "its result: 0.25");
    assertThat(first.await().err()).doesNotContain("answered by", "shares");
  }

  @Test
  void ctrlZLeavesTheJobRunningAndSaysHowToComeBack() throws Exception {
    Path gate = folder.resolve("stopped");
    Running run =
        stoker.start(
            "",
            "run",
            "--id",
            "rd-ctrl-z",
            "--",
            "sh",
            "-c",
            "echo up; until [ -e %s ]; do sleep 0.1; done".formatted(gate));
    await().atMost(PATIENCE).until(() -> run.outSoFar().equals("up\n"));
    new ProcessBuilder("kill", "-TSTP", Long.toString(run.process().pid())).start().waitFor();

    Ended left = run.await();
    assertThat(left.exitCode()).isEqualTo(148);
    assertThat(left.err()).contains("rd-ctrl-z runs on: stoker logs -f rd-ctrl-z");
    // Its output may be there before it is told to run.
    await()
        .atMost(PATIENCE)
        .until(() -> stoker.run("status", "rd-ctrl-z").out().contains("RUNNING"));
    Files.createFile(gate);
    assertThat(stack.statuses().awaitEnd("rd-ctrl-z").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void inputIsTakenUpToItsLimitAndNotAByteMore() throws Exception {
    String most = "x".repeat(90 * 1024);
    Ended taken = stoker.runWithInput(most, "run", "-i", "wc", "-c");
    assertThat(taken.exitCode()).as(taken.err()).isZero();
    assertThat(taken.out().strip()).isEqualTo(Integer.toString(most.length()));

    Ended refused = stoker.runWithInput(most + "x", "run", "-i", "--id", "rd-large", "wc", "-c");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err())
        .contains("standard input is larger than 90 KiB", "in a file that the job reads");
    assertThat(stoker.run("status", "rd-large").exitCode()).as("nothing was posted").isEqualTo(4);
  }

  @Test
  void aListIsPrintedAsItIsAskedFor() throws Exception {
    stack.post(Posted.script("rd-form-1", "true"), Posted.script("rd-form-2", "true"));
    stack.statuses().awaitEnd("rd-form-1");
    stack.statuses().awaitEnd("rd-form-2");

    assertThat(stoker.run("list", "--prefix", "rd-form", "-o", "name").out().lines())
        .containsExactlyInAnyOrder("rd-form-1", "rd-form-2");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Ended yaml = stoker.run("status", "rd-form-1", "rd-form-2", "-o", "yaml");
              assertThat(yaml.out().lines().filter("---"::equals)).hasSize(2);
              assertThat(yaml.out()).contains("id: \"rd-form-1\"\nstate: \"SUCCEEDED\"\n");
            });
    assertThat(stoker.run("list", "--prefix", "rd-form", "-o", "wide").out())
        .contains("GROUP", "DEVICES", "JOB");
    assertThat(stoker.run("show", "rd-form-1", "-o", "name").out()).isEqualTo("rd-form-1\n");
    assertThat(stoker.run("queues", "-o", "name").out().lines()).contains("default");
    assertThat(stoker.run("queues").out()).contains("FIRST WAITS", "WEIGHT SHARE");
    assertThat(Json.read(stoker.run("migrate", "--json").out()).path("migrations"))
        .hasToString("0");
  }
}
