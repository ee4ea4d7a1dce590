package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.PartJudged;
import io.stoker.agent.attempt.Input.Progress;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.container.ContainerRunner;
import io.stoker.agent.container.ContainerSettings;
import io.stoker.agent.container.ContainerSettings.GpuOption;
import io.stoker.agent.container.ContainerSettings.Pull;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers of a command that behaves as an engine's: no engine runs where this is built. */
@Timeout(300)
class ContainersTest {
  @TempDir Path data;
  @TempDir Path bin;
  private Path engine;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    engine = bin.resolve("engine");
    try (InputStream script =
        ContainersTest.class.getResourceAsStream("/io/stoker/agent/container/engine")) {
      Files.copy(script, engine);
    }
    assertThat(engine.toFile().setExecutable(true)).isTrue();
    Files.createDirectories(bin.resolve("state"));
    Files.writeString(bin.resolve("state/images"), "here:1\n");
    host = RunnerFixture.unstarted(data);
    startAgent(engine.toString());
  }

  private void startAgent(String cli) throws IOException {
    if (host.runners != null) {
      host.runners.close();
    }
    ContainerSettings settings =
        new ContainerSettings(
            cli,
            4,
            GpuOption.GPUS,
            Pull.MISSING,
            Optional.of("7:8"),
            OptionalLong.of(1 << 20),
            OptionalDouble.empty(),
            List.of(Path.of("/no")),
            List.of());
    host.startRunners(List.of(context -> new ContainerRunner(context, settings)));
  }

  @AfterEach
  void stop() throws Exception {
    new ProcessBuilder(
            "sh",
            "-c",
            "for box in \"$1\"/state/containers/*; do [ -d \"$box\" ] && \"$1\"/engine rm --force"
                + " \"$(basename \"$box\")\"; done",
            "sh",
            bin.toString())
        .start()
        .waitFor();
    host.close();
  }

  @Test
  void aContainerRunsWithItsEnvironmentAndItsOutputIsRead() throws Exception {
    launch(
        "a",
        Map.of("LR", "it's 1\n2"),
        "sh",
        "-c",
        "echo \"$LR\"; echo '#stoker:progress 0.5'; echo \"$STOKER_REQUEST_ID\" >&2; "
            + gate()
            + "echo 3 >\"$STOKER_RESULT\"; pwd");

    Started started = host.next(Started.class);
    assertThat(started.process().here()).as("its process is seen here").isTrue();
    assertThat(host.next(Progress.class).progress().doubleValue()).isEqualTo(0.5);
    openGate();
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(0);
    assertThat(exited.end().result().orElseThrow().intValue()).isEqualTo(3);
    assertThat(host.output())
        .contains("it's 1\n2")
        .contains("request-a")
        .contains(data.resolve("runs/a-1/work").toString());
    assertThat(calls()).anyMatch(call -> call.startsWith("[create]") && call.contains("[7:8]"));
  }

  @Test
  void create_withVariables_tellsTheEngineWithoutItsArguments() throws Exception {
    launch(
        "a",
        Map.of("TOKEN", "s3cr3t", "PEM", "-----\ns3cr3t"),
        "sh",
        "-c",
        "echo $TOKEN$PEM; ls; ls -A ..");
    host.next(Exited.class);

    assertThat(host.output()).contains("s3cr3t-----").doesNotContain("variables");
    assertThat(calls()).noneMatch(call -> call.contains("s3cr3t"));
  }

  @Test
  void create_withAWorkFolderOutsideTheMounts_isRefusedByItsKey() throws Exception {
    host.runners.start(
        aPlace("a").command("true").workdir("/etc").image("here:1").build(), none("a"), 1);

    assertThat(host.next(NotStarted.class).reason())
        .contains("workdir is /etc", "below [/no] alone", "runners.container.mounts");
    assertThat(bin.resolve("state/argv")).doesNotExist();
  }

  @Test
  void create_withAWorkFolderThatNoPathCanName_isTold() throws Exception {
    host.runners.start(
        aPlace("a").command("true").workdir("/no\0where").image("here:1").build(), none("a"), 1);

    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("it cannot be prepared", "/no");
  }

  @Test
  void itsExitCodeAndLastErrorAreTheJobs() throws Exception {
    launch("a", "sh", "-c", "echo no luck >&2; exit 7");
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(7);
    assertThat(exited.end().note()).contains("no luck");
    assertThat(exited.end().category()).isEmpty();
  }

  @Test
  void oneThatTheKernelKilledForMemoryRanOutOfIt() throws Exception {
    AttemptKey key = launch("a", "sh", "-c", "sleep 60");
    host.next(Started.class);
    Files.createFile(box(key).resolve("oom"));
    host.runners.kill(key, 0);
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(137);
    assertThat(exited.end().category()).contains(FailureCategory.HOST_OOM);
  }

  /** Engines do not always know: on control groups of version 1 podman says false. */
  @Test
  void sigkillUnderALimit_isTheKernels_unlessTheAgentSentIt() throws Exception {
    limited("a", "sh", "-c", "kill -9 $$");
    assertThat(host.next(Exited.class).end().category()).contains(FailureCategory.HOST_OOM);

    launch("b", "sh", "-c", "kill -9 $$");
    assertThat(host.next(Exited.class).end().category()).as("without a limit").isEmpty();

    AttemptKey cancelled = limited("c", "sh", "-c", "sleep 60");
    host.next(Started.class);
    host.runners.kill(cancelled, 0);
    assertThat(host.next(Exited.class).end().category()).as("by the agent").isEmpty();
  }

  private AttemptKey limited(String job, String... command) {
    host.runners.start(
        RunnerFixture.of(job, command).memory(1L << 30).image("here:1").build(), none(job), 1);
    return new AttemptKey(job, 1);
  }

  @Test
  void whatFollowingLeavesOut_isReadAtTheEnd() throws Exception {
    Files.createFile(bin.resolve("state/leaves-out"));
    AttemptKey key =
        launch(
            "a",
            "sh",
            "-c",
            "echo one; echo fix; echo three; " + gate() + "echo '#stoker:result {\"x\":4}'");
    host.next(Started.class);
    Awaitility.await().until(() -> host.output().contains("three"));
    openGate();

    Exited exited = host.next(Exited.class);

    assertThat(exited.end().result().orElseThrow().get("x").intValue()).isEqualTo(4);
    assertThat(data.resolve("runs/" + key + "/stdout"))
        .as("again from the first line that was missed on")
        .hasContent("one\nthree\nfix\nthree\n#stoker:result {\"x\":4}\n");
  }

  @Test
  void theFollowerOfAnAgentThatIsGone_hasNoFileToWriteTo() throws Exception {
    launch("a", "sh", "-c", gate());
    host.next(Started.class);

    Awaitility.await().until(() -> !followers().isEmpty());
    for (ProcessHandle follower : followers()) {
      assertThat(Files.readSymbolicLink(Path.of("/proc/%d/fd/1".formatted(follower.pid()))))
          .asString()
          .startsWith("pipe:");
    }
    openGate();
    host.next(Exited.class);
  }

  private static List<ProcessHandle> followers() {
    return ProcessHandle.current()
        .children()
        .filter(child -> child.info().commandLine().orElse("").contains("logs --follow"))
        .toList();
  }

  @Test
  void anImageThatCannotBeHadIsNamed() throws Exception {
    host.runners.start(RunnerFixture.of("a", "true").image("missing:9").build(), none("a"), 1);
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("missing:9").contains("pull access denied");
  }

  @Test
  void aProgramThatTheImageHasNotIsNamed() throws Exception {
    launch("a", "no-such-program");
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("no-such-program").contains("here:1");
    assertThat(boxes()).isEmpty();
  }

  /** Until it is removed nobody knows that it does not begin; who waits for that must be told. */
  @Test
  void oneThatIsNotRemoved_isWarnedOf_once() throws Exception {
    Path keeps = Files.createFile(bin.resolve("state/keeps"));
    List<String> warned = new CopyOnWriteArrayList<>();
    Handler handler = handler(warned);
    Logger logger = Logger.getLogger("io.stoker.agent.container.ContainerRun");
    logger.addHandler(handler);
    try {
      launch("a", "no-such-program");
      Awaitility.await()
          .until(() -> calls().stream().filter(call -> call.startsWith("[rm]")).count() > 2);
      assertThat(warned).singleElement().asString().contains("device or resource busy");
      Files.delete(keeps);
      assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.LAUNCH);
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(boxes()).isEmpty();
  }

  private static Handler handler(List<String> warned) {
    return new Handler() {
      @Override
      public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
          warned.add(
              entry.getParameters() == null
                  ? entry.getMessage()
                  : entry.getMessage() + Arrays.toString(entry.getParameters()));
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void aCommandThatIsNotThereIsNamed() throws Exception {
    startAgent("/no/such/docker");
    launch("a", "true");
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("/no/such/docker");
  }

  /** As on a full disk: what it is given cannot be written. */
  @Test
  void oneWhoseFolderCannotBeMade_isForOthersToRun() throws Exception {
    Path runs = data.resolve("runs");
    Files.move(runs, data.resolve("away"));
    Files.createFile(runs);

    launch("a", "true");

    assertThat(host.next(PartJudged.class).part()).isEqualTo(Part.DISK);
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.REFUSED);
    assertThat(bin.resolve("state/argv")).doesNotExist();
    Files.delete(runs);
    Files.move(data.resolve("away"), runs);
  }

  @Test
  void anEngineThatIsAwayCostsTheJobNothing() throws Exception {
    Files.createFile(bin.resolve("state/away"));
    launch("a", "true");
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.REFUSED);
    assertThat(told.reason()).contains("Cannot connect");
  }

  @Test
  void aWorkFolderThatIsNotThereIsNamed() throws Exception {
    Place elsewhere =
        aPlace("a").command("true").workdir("/no/such/folder").image("here:1").build();
    host.runners.start(elsewhere, none("a"), 1);
    assertThat(host.next(NotStarted.class).reason()).contains("/no/such/folder");
  }

  @Test
  void aGracefulEndIsAskedForAndAnUnwillingOneForced() throws Exception {
    AttemptKey willing = launch("a", "sh", "-c", "sleep 60");
    host.next(Started.class);
    host.runners.kill(willing, 20_000);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(143);

    AttemptKey unwilling =
        launch("b", "sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done");
    host.next(Started.class);
    Awaitility.await().until(() -> host.output().contains("deaf"));
    host.runners.kill(unwilling, 1_000);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
  }

  @Test
  void oneWhoseImageIsStillFetchedNeverBeginsOnceItIsEnded() throws Exception {
    Files.createFile(bin.resolve("state/slow-pull"));
    AttemptKey key = launch("a", "true");
    Awaitility.await().until(() -> Files.exists(bin.resolve("state/pulling")));
    host.runners.kill(key, 1_000);
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.UNCLAIMED);
    assertThat(boxes()).isEmpty();
  }

  @Test
  void nothingBeginsOnceTheLeaseIsOver() throws Exception {
    host.deadline.write(0);
    launch("a", "true");
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.REFUSED);
    assertThat(boxes()).isEmpty();
  }

  @Test
  void theNextAgentFindsAndFollowsWhatRuns() throws Exception {
    AttemptKey key = launch("a", "sh", "-c", "echo one; " + gate() + "echo two; exit 5");
    Started started = host.next(Started.class);

    startAgent(engine.toString());
    host.runners.clear(Set.of(key));
    host.runners.adopt(
        RunnerFixture.of("a", "true").image("here:1").build(), Optional.of(started.process()), 1);
    openGate();

    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(5);
    assertThat(host.output()).contains("one").contains("two");
  }

  /** As where its time limit has passed while no agent was there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsToEndAsSoonAsItIsFound_ends(boolean away) throws Exception {
    AttemptKey key = launch("a", "sh", "-c", "sleep 1000");
    Started started = host.next(Started.class);
    Path gone = bin.resolve("state/away");
    if (away) {
      Files.createFile(gone);
    }

    startAgent(engine.toString());
    host.runners.adopt(
        RunnerFixture.of("a", "true").image("here:1").build(), Optional.of(started.process()), 1);
    host.runners.kill(key, 0);
    if (away) {
      Awaitility.await().until(() -> calls().stream().anyMatch(call -> call.startsWith("[kill]")));
      Files.delete(gone);
    }

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
  }

  @Test
  void oneThatIsEndedWhileTheEngineIsAway_endsOnceItIsBack() throws Exception {
    AttemptKey key = launch("a", "sh", "-c", "sleep 1000");
    host.next(Started.class);
    Path away = Files.createFile(bin.resolve("state/away"));

    host.runners.kill(key, 0);
    Awaitility.await().until(() -> calls().stream().anyMatch(call -> call.startsWith("[kill]")));
    Files.delete(away);

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
  }

  @Test
  void whatEndedMeanwhileStillTellsItsExitCodeUntilItIsRemoved() throws Exception {
    AttemptKey key = launch("a", "sh", "-c", "echo bye; exit 4");
    Started started = host.next(Started.class);
    host.next(Exited.class);

    startAgent(engine.toString());
    host.runners.adopt(
        RunnerFixture.of("a", "true").image("here:1").build(), Optional.of(started.process()), 1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(4);

    host.runners.remove(key);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> boxes().isEmpty());
  }

  @Test
  void whatIsGoneHasNoExitCodeAndWhatNeverBeganIsStartedAgain() throws Exception {
    Place place = RunnerFixture.of("a", "true").image("here:1").build();
    host.runners.adopt(place, Optional.empty(), 1);
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.UNCLAIMED);

    host.runners.adopt(
        place, Optional.of(new io.stoker.agent.attempt.RunProcess(1, 1, "boot", 1, 1)), 1);
    assertThat(host.next(Exited.class).end().exitCode()).isEmpty();
  }

  @Test
  void leftoversAreRemovedAtTheNextStartAndNothingElse() throws Exception {
    AttemptKey kept = launch("kept", "sh", "-c", "sleep 60");
    host.next(Started.class);
    AttemptKey left = launch("left", "sh", "-c", "sleep 60");
    host.next(Started.class);
    new ProcessBuilder(engine.toString(), "create", "--name", "somebodys", "here:1", "true")
        .start()
        .waitFor();

    startAgent(engine.toString());
    host.runners.clear(Set.of(kept));

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> boxes().stream().noneMatch(name -> name.endsWith(left.toString())));
    assertThat(boxes()).anyMatch(name -> name.endsWith(kept.toString())).contains("somebodys");
  }

  @Test
  void leftoversAreHeldUntilTheEngineSaysThatTheyAreGone() throws Exception {
    // As where its processes are another machine's.
    AttemptKey left =
        launch("left", "sh", "-c", "exec env -u STOKER_TREE -u STOKER_RESULT sleep 60");
    Started started = host.next(Started.class);
    OwnProcess inside = OwnProcess.of(started.process().pid());
    Files.createFile(bin.resolve("state/away"));

    startAgent(engine.toString());
    host.runners.clear(Set.of()).join();
    assertThat(host.runners.unended()).containsExactly(left);
    assertThat(data.resolve("runs/" + left)).as("for an agent that comes after this").exists();
    assertThat(inside.alive()).isTrue();

    Files.delete(bin.resolve("state/away"));
    assertThat(host.next(Input.LeftoverEnded.class).key()).isEqualTo(left);
    assertThat(boxes()).isEmpty();
    assertThat(inside.alive()).isFalse();
  }

  @Test
  void leftoversThatBearTheMarkOfABuildBeforeAreRemovedToo() throws Exception {
    Path hook = data.resolve("on-expiry/containers");
    Files.writeString(
        hook, Files.readString(hook).replace(RunnerFixture.OWNER, "an-earlier-journal"));
    new ProcessBuilder(
            engine.toString(),
            "create",
            "--name",
            "stoker-an-earli-left-1",
            "--label",
            "stoker.owner=an-earlier-journal",
            "here:1",
            "true")
        .start()
        .waitFor();

    startAgent(engine.toString());
    host.runners.clear(Set.of());

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> boxes().isEmpty());
  }

  @Test
  void theWatchdogEndsThemWhenTheLeaseHasRunOut() throws Exception {
    launch("a", "sh", "-c", "exec env -u STOKER_TREE sleep 60");
    host.next(Started.class);
    host.deadline.write(0);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
    assertThat(calls()).anyMatch(call -> call.startsWith("[kill]"));
  }

  /** A job waits here until the gate is opened. */
  private String gate() {
    return "until [ -e '%s' ]; do sleep 0.05; done; ".formatted(bin.resolve("gate"));
  }

  private void openGate() throws IOException {
    Files.createFile(bin.resolve("gate"));
  }

  private AttemptKey launch(String job, String... command) {
    return launch(job, Map.of(), command);
  }

  private AttemptKey launch(String job, Map<String, String> env, String... command) {
    AttemptKey key = new AttemptKey(job, 1);
    host.runners.start(
        RunnerFixture.of(job, command).env(env).image("here:1").build(), none(job), 1);
    return key;
  }

  private Path box(AttemptKey key) throws IOException {
    String name =
        boxes().stream().filter(one -> one.endsWith(key.toString())).findFirst().orElseThrow();
    return bin.resolve("state/containers").resolve(name);
  }

  private List<String> boxes() throws IOException {
    Path containers = bin.resolve("state/containers");
    if (!Files.isDirectory(containers)) {
      return List.of();
    }
    try (var found = Files.list(containers)) {
      return found.map(path -> path.getFileName().toString()).toList();
    }
  }

  private List<String> calls() throws IOException {
    Path arguments = bin.resolve("state/argv");
    return Files.exists(arguments) ? Files.readAllLines(arguments) : List.of();
  }

  private static Allocation none(String job) {
    return new Allocation(job + "-1", List.of(), false, OptionalLong.empty(), 1);
  }
}
