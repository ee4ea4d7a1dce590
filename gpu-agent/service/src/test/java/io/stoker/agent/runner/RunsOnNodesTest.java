package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.ssh.FixedNodes;
import io.stoker.agent.ssh.FollowRules;
import io.stoker.agent.ssh.JobCare;
import io.stoker.agent.ssh.LinkSettings;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import io.stoker.agent.ssh.Node;
import io.stoker.agent.ssh.NodeGpus;
import io.stoker.agent.ssh.RemoteRunner;
import io.stoker.agent.ssh.RemoteSettings;
import io.stoker.agent.ssh.TestSshd;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of type ssh through the runner that the agent has, on a real SSH server. */
@Timeout(300)
class RunsOnNodesTest {
  @TempDir Path data;
  @TempDir Path folder;
  private TestSshd sshd;
  private List<Path> files = List.of();
  private RunnerFixture host;

  @BeforeEach
  void start() throws Exception {
    sshd = new TestSshd(folder);
    host = RunnerFixture.unstarted(data);
    runners();
  }

  @AfterEach
  void stop() throws IOException {
    host.runners.clear(Set.of()).join();
    await().atMost(Duration.ofSeconds(60)).until(() -> runFolders().isEmpty());
    host.close();
    sshd.close();
  }

  private void runners() throws IOException {
    runners(Optional.empty());
  }

  private void runners(Optional<NodeGpus> gpus) throws IOException {
    Node at = sshd.node();
    Node node = new Node(at.user(), at.host(), at.port(), at.key(), at.knownAs(), gpus);
    RemoteSettings settings =
        new RemoteSettings(
            new LinkSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                sshd.knownHosts,
                UnknownHosts.STRICT,
                Optional.empty()),
            new FollowRules(
                2,
                Duration.ofMillis(50),
                Duration.ofMillis(100),
                Optional.empty(),
                Duration.ofMillis(100)),
            3,
            ".stoker",
            Map.of("FROM_NODE", "node", "MINE", "node"),
            new JobCare(
                Optional.of("PRE=ran; export PRE"),
                Optional.empty(),
                files,
                Duration.ofMillis(300)),
            OptionalLong.of(1));
    host.startRunners(
        List.of(
            context ->
                new RemoteRunner(
                    "ssh", context, settings, new FixedNodes(Map.of(node.name(), node)))));
  }

  private List<Path> runFolders() throws IOException {
    Path runs = sshd.home.resolve(".stoker").resolve("runs").resolve(RunnerFixture.OWNER);
    try (Stream<Path> found = Files.list(runs)) {
      return found.toList();
    } catch (NoSuchFileException e) { // who removes the last run's folder removes this one
      return List.of();
    }
  }

  private AttemptKey start(String job, Map<String, String> env, String script) {
    Place place = RunnerFixture.of(job, "sh", "-c", script).env(env).on("ssh").build();
    AttemptKey key = new AttemptKey(job, 1);
    host.runners.start(place, none(key), 1);
    return key;
  }

  private static Allocation none(AttemptKey key) {
    return new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
  }

  @Test
  void aJobReportsAsALocalOneDoes() throws Exception {
    assertThat(host.runners.slots()).isEqualTo(Map.of("ssh", 3));
    Path gate = folder.resolve("gate");
    start(
        "a",
        Map.of("MINE", "request"),
        "echo $STOKER_JOB_ID $STOKER_REQUEST_ID $FROM_NODE $MINE $PRE ${CUDA_VISIBLE_DEVICES-unset};"
            + " cat $STOKER_PARAMS; echo '#stoker:progress 0.5'; echo '#stoker:result [1, 2]';"
            + " until [ -e '%s' ]; do sleep 0.05; done".formatted(gate));

    assertThat(host.next(Started.class).process().pid()).isZero();
    assertThat(host.next(Input.Progress.class).progress().doubleValue()).isEqualTo(0.5);
    Files.createFile(gate);
    Exited end = host.next(Exited.class);
    assertThat(end.end().exitCode()).hasValue(0);
    assertThat(end.end().result().orElseThrow().toString()).isEqualTo("[1,2]");
    assertThat(host.output()).startsWith("a request-a node request ran unset\n{}\n");
  }

  @Test
  void aJobHasItsOwnOfTheGpusThatItsNodeIsSaidToHave() throws Exception {
    host.runners.close();
    runners(Optional.of(NodeGpus.of("3", "GPU-5e", "1", "0")));
    assertThat(host.runners.slots()).isEqualTo(Map.of("ssh", 4));
    assertThat(host.runners.machines())
        .isEqualTo(Map.of("ssh", List.of(new NodeMachine(List.of("3", "GPU-5e", "1", "0"), null))));
    Path gate = folder.resolve("gate");
    Map<String, String> asked = Map.of("CUDA_VISIBLE_DEVICES", "7");
    String script =
        "until [ -e '%s' ]; do sleep 0.05; done; echo $STOKER_JOB_ID".formatted(gate)
            + " has \"$CUDA_DEVICE_ORDER:$CUDA_VISIBLE_DEVICES\"";
    AttemptKey two = startOnGpus("two", 2, asked, script);
    host.next(Started.class);
    host.runners.close();

    // The next agent knows what the run has.
    runners(Optional.of(NodeGpus.of("3", "GPU-5e", "1", "0")));
    host.runners.clear(Set.of(two)).join();
    host.runners.adopt(
        place("two", 2, asked, script), Optional.of(new RunProcess(0, 0, "", 0, 0)), 1);
    startOnGpus("three", 3, asked, script);
    assertThat(host.next(NotStarted.class))
        .satisfies(not -> assertThat(not.cause()).isEqualTo(Input.Cause.REFUSED))
        .satisfies(not -> assertThat(not.reason()).contains("3 GPU(s)"));
    startOnGpus("one", 1, asked, script);
    startOnGpus("none", 0, asked, script);
    Files.createFile(gate);
    for (int i = 0; i < 3; i++) {
      assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
    }
    assertThat(host.output().lines())
        .containsExactlyInAnyOrder(
            "two has PCI_BUS_ID:3,GPU-5e", "one has PCI_BUS_ID:1", "none has PCI_BUS_ID:");
    // All are free again.
    startOnGpus("four", 4, asked, script);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
  }

  private Place place(String job, int gpus, Map<String, String> env, String script) {
    return RunnerFixture.of(job, "sh", "-c", script).env(env).gpus(gpus).on("ssh").build();
  }

  private AttemptKey startOnGpus(String job, int gpus, Map<String, String> env, String script) {
    AttemptKey key = new AttemptKey(job, 1);
    host.runners.start(place(job, gpus, env, script), none(key), 1);
    return key;
  }

  @Test
  void jobsThatShareAGpuHaveTogetherWhatItIsSaidToHave() throws Exception {
    host.runners.close();
    Optional<NodeGpus> said =
        Optional.of(new NodeGpus(List.of("3", "1"), OptionalLong.of(24L << 30)));
    runners(said);
    Path gate = folder.resolve("gate");
    String script =
        "until [ -e '%s' ]; do sleep 0.05; done; echo $STOKER_JOB_ID has $CUDA_VISIBLE_DEVICES"
            .formatted(gate);
    AttemptKey first = share("first", "1", 16, script);
    host.next(Started.class);
    host.runners.close();

    // The next agent knows how much of the GPU the run has.
    runners(said);
    host.runners.clear(Set.of(first)).join();
    host.runners.adopt(
        sharing("first", "1", 16, script), Optional.of(new RunProcess(0, 0, "", 0, 0)), 1);
    share("too-much", "1", 9, script);
    assertThat(host.next(NotStarted.class))
        .satisfies(not -> assertThat(not.cause()).isEqualTo(Input.Cause.REFUSED))
        .satisfies(not -> assertThat(not.reason()).contains("1 GPU(s) of 9 GiB, device 1 now"));
    share("beside", "1", 8, script);
    share("other", null, 9, script);
    Files.createFile(gate);
    for (int i = 0; i < 3; i++) {
      assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
    }
    assertThat(host.output().lines())
        .containsExactlyInAnyOrder("first has 1", "beside has 1", "other has 3");
  }

  private Place sharing(String job, String device, long gib, String script) {
    return RunnerFixture.of(job, "sh", "-c", script)
        .gpus(1)
        .shared(true)
        .gpuMemory(gib << 30)
        .device(device)
        .on("ssh")
        .build();
  }

  private AttemptKey share(String job, String device, long gib, String script) {
    AttemptKey key = new AttemptKey(job, 1);
    host.runners.start(sharing(job, device, gib, script), none(key), 1);
    return key;
  }

  @Test
  void aResultFileWinsAndItsFolderIsRemoved() throws Exception {
    AttemptKey key =
        start("a", Map.of(), "echo '#stoker:result 1'; echo 2 >$STOKER_RESULT; exit 0");
    Exited end = host.next(Exited.class);
    assertThat(end.end().result().orElseThrow().intValue()).as("%s", end).isEqualTo(2);
    assertThat(runFolders()).hasSize(1);

    host.runners.remove(key);

    await().until(() -> runFolders().isEmpty());
    await().until(() -> data.resolve("ssh").toFile().list().length == 0);
  }

  @Test
  void aMissingProgramIsALaunchFailureThatNamesIt() throws Exception {
    Place place = RunnerFixture.of("a", "no-such-program").on("ssh").build();
    host.runners.start(place, none(new AttemptKey("a", 1)), 1);

    Exited end = host.next(Exited.class);
    assertThat(end.end().category()).contains(FailureCategory.LAUNCH);
    assertThat(end.end().note().orElseThrow())
        .contains("program no-such-program was not found on the path of " + sshd.node());
  }

  @Test
  void outOfMemoryIsToldByTheOutput() throws Exception {
    start("a", Map.of(), "echo 'CUDA out of memory' >&2; exit 1");

    assertThat(host.next(Exited.class).end().category()).contains(FailureCategory.GPU_OOM);
  }

  @Test
  void anotherAgentTakesAJobOverAndLosesNothing() throws Exception {
    Path gate = folder.resolve("gate");
    String script = "echo one; until [ -e '%s' ]; do sleep 0.05; done; echo two; exit 6";
    AttemptKey key = start("a", Map.of(), script.formatted(gate));
    Started before = host.next(Started.class);
    await().until(() -> host.output().contains("one"));
    host.runners.close();

    runners();
    host.runners.clear(Set.of(key)).join();
    Place place = RunnerFixture.of("a", "sh", "-c", script.formatted(gate)).on("ssh").build();
    host.runners.adopt(place, Optional.of(before.process()), 1);
    Files.createFile(gate);

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(6);
    assertThat(host.output()).isEqualTo("one\ntwo\n");
  }

  @Test
  void whatWasNeverAskedOfANodeIsStartedAgain() throws Exception {
    host.runners.adopt(RunnerFixture.of("a", "true").on("ssh").build(), Optional.empty(), 1);

    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Input.Cause.UNCLAIMED);
  }

  @Test
  void whatNobodyKnowsIsEndedOnItsNode() throws Exception {
    start("a", Map.of(), "echo $$; exec sleep 710");
    host.next(Started.class);
    await().until(() -> host.output().endsWith("\n"));
    OwnProcess job = OwnProcess.of(Long.parseLong(host.output().strip()));
    assertThat(job.alive()).isTrue();
    host.runners.close();

    runners();
    host.runners.clear(Set.of()).join();

    AttemptKey key = new AttemptKey("a", 1);
    assertThat(host.runners.unended()).as("held, if it has not ended yet").isSubsetOf(key);
    assertThat(host.next(Input.LeftoverEnded.class).key()).isEqualTo(key);
    assertThat(job.alive()).isFalse();
    assertThat(runFolders()).isEmpty();
  }

  @Test
  void whatNobodyKnowsIsHeldWhileItsNodeIsAway() throws Exception {
    start("a", Map.of(), "echo $$; exec sleep 711");
    host.next(Started.class);
    await().until(() -> host.output().endsWith("\n"));
    OwnProcess job = OwnProcess.of(Long.parseLong(host.output().strip()));
    host.runners.close();
    sshd.stop();

    runners();
    host.runners.clear(Set.of()).join();
    assertThat(host.runners.unended()).containsExactly(new AttemptKey("a", 1));
    assertThat(job.alive()).isTrue();

    sshd.start();
    assertThat(host.next(Input.LeftoverEnded.class).key()).isEqualTo(new AttemptKey("a", 1));
    assertThat(job.alive()).isFalse();
  }

  @Test
  void whileItsRecordCannotBeReadARunIsNeitherOverNorBegunAgain() throws Exception {
    Path gate = folder.resolve("gate");
    String script = "echo up; until [ -e '%s' ]; do sleep 0.05; done; exit 6".formatted(gate);
    AttemptKey key = start("a", Map.of(), script);
    Started before = host.next(Started.class);
    host.runners.close();
    Path record = data.resolve("ssh").resolve(key + ".json");
    byte[] whole = Files.readAllBytes(record);
    Files.write(record, new byte[whole.length]);

    runners();
    host.runners.clear(Set.of(key)).join();
    Place place = RunnerFixture.of("a", "sh", "-c", script).on("ssh").build();
    host.runners.adopt(place, Optional.of(before.process()), 1);
    AttemptKey other = start("b", Map.of(), "exit 7");
    assertThat(host.next(Exited.class).key()).as("the first to end").isEqualTo(other);

    Files.write(record, whole);
    Files.createFile(gate);
    Exited end = host.next(Exited.class);
    assertThat(end.key()).isEqualTo(key);
    assertThat(end.end().exitCode()).hasValue(6);
  }

  @Test
  void aRunIsEndedAlthoughThatWasAskedForBeforeItsRecordCouldBeRead() throws Exception {
    String script = "echo up; exec sleep 712";
    AttemptKey key = start("a", Map.of(), script);
    Started before = host.next(Started.class);
    host.runners.close();
    Path record = data.resolve("ssh").resolve(key + ".json");
    byte[] whole = Files.readAllBytes(record);
    Files.write(record, new byte[whole.length]);

    runners();
    host.runners.clear(Set.of(key)).join();
    Place place = RunnerFixture.of("a", "sh", "-c", script).on("ssh").build();
    host.runners.adopt(place, Optional.of(before.process()), 1);
    host.runners.kill(key, 20_000);
    Files.write(record, whole);

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(143);
  }

  @Test
  void whatNobodyKnowsIsHeldWhileItsRecordCannotBeRead() throws Exception {
    AttemptKey key = start("a", Map.of(), "exec sleep 713");
    host.next(Started.class);
    host.runners.close();
    Path record = data.resolve("ssh").resolve(key + ".json");
    byte[] whole = Files.readAllBytes(record);
    Files.write(record, new byte[whole.length]);

    runners();
    host.runners.clear(Set.of()).join();
    assertThat(host.runners.unended()).containsExactly(key);
    Files.write(record, whole);

    assertThat(host.next(Input.LeftoverEnded.class).key()).isEqualTo(key);
    assertThat(runFolders()).isEmpty();
  }

  @Test
  void whatAnEndedRunLeftIsRemovedOnceItsRecordCanBeRead() throws Exception {
    AttemptKey key = start("a", Map.of(), "exit 0");
    host.next(Exited.class);
    Path record = data.resolve("ssh").resolve(key + ".json");
    byte[] whole = Files.readAllBytes(record);
    Files.write(record, new byte[whole.length]);

    host.runners.remove(key);
    assertThat(runFolders()).hasSize(1);
    Files.write(record, whole);

    await().until(() -> runFolders().isEmpty());
    await().until(() -> !Files.exists(record));
  }

  @Test
  void withoutTheRightToStartNothingIsStarted() throws Exception {
    host.deadline.write(host.clock.bootMs() - 1);

    start("a", Map.of(), "echo never");

    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Input.Cause.REFUSED);
    assertThat(host.output()).isEmpty();
  }

  @Test
  void whatThisHostCannotGiveItsNodeIsToldAndNotTriedForEver() throws Exception {
    Claim claim =
        new Claim(
            Optional.empty(), Optional.of("q"), Optional.empty(), Map.of("TOKEN", "hf"), false);
    host.runners.start(
        RunnerFixture.of("secret", "true").claim(claim).on("ssh").build(),
        none(new AttemptKey("secret", 1)),
        1);
    assertThat(launchFailure()).contains("asks for secret hf", "this host has none");

    Path inTheWay = Files.createDirectories(data.resolve("ssh/full-1.new"));
    start("full", Map.of(), "true");
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Input.Cause.REFUSED);
    Files.delete(inTheWay);

    host.runners.close();
    files = List.of(Files.createFile(data.resolve("tool")));
    runners();
    Files.delete(files.getFirst());
    start("file", Map.of(), "true");
    assertThat(launchFailure()).isEqualTo("files: " + files.getFirst() + " is not a file");
  }

  private String launchFailure() throws InterruptedException {
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Input.Cause.LAUNCH);
    return told.reason();
  }

  @Test
  void killedItEndsWithinItsGrace() throws Exception {
    AttemptKey key = start("a", Map.of(), "trap '' TERM; echo up; while :; do sleep 0.1; done");
    host.next(Started.class);
    await().until(() -> host.output().contains("up"));

    host.runners.kill(key, 300);

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
  }
}
