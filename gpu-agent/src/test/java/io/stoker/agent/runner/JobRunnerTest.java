package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.attempt.RunUsage;
import io.stoker.agent.staged.Said;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes. */
@Timeout(60)
class JobRunnerTest {
  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    host = new RunnerFixture(data);
  }

  @AfterEach
  void stop() {
    host.close();
  }

  @Test
  void tellsStartAndExitCode() throws Exception {
    AttemptKey key = host.sh("job", "exit 7");
    assertThat(host.next(Started.class).key()).isEqualTo(key);
    Exited exited = host.next(Exited.class);
    assertThat(exited.key()).isEqualTo(key);
    assertThat(exited.end().exitCode()).hasValue(7);
  }

  @Test
  void whatIsTooShortToBeSampledTellsItsCpuTimeAndItsPeakIfThatIsItsOwn() throws Exception {
    host.sh("busy", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
    RunUsage busy = host.next(Exited.class).end().usage().orElseThrow();
    assertThat(busy.cpuMs()).isGreaterThan(10);
    assertThat(busy.memory()).as("less than the spawner has itself").isEmpty();
    host.sh("large", "x=$(head -c 150000000 /dev/zero | tr '\\0' x); exit 3");
    RunUsage large = host.next(Exited.class).end().usage().orElseThrow();
    assertThat(large.memory().orElseThrow()).isGreaterThan(150_000_000);
  }

  @Test
  void aJobKilledByASignalExitsWith128More() throws Exception {
    host.sh("job", "kill -KILL $$");
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(137);
  }

  @Test
  void aMissingProgramIsNamedAndNothingIsStarted() throws Exception {
    host.launch(host.place("job", "no-such-program", "x"));
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("no-such-program").contains("not found");
  }

  @Test
  void aProgramThatIsNotExecutableIsNamed() throws Exception {
    Path script = Files.writeString(data.resolve("script.txt"), "echo hi");
    host.launch(host.place("job", script.toString()));
    assertThat(host.next(NotStarted.class).reason())
        .contains(script.toString())
        .contains("not executable");
  }

  @Test
  void aProgramThatTheKernelCannotRunIsALaunchFailure() throws Exception {
    Path script = Files.writeString(data.resolve("broken"), "#!/no/such/interpreter\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    host.launch(host.place("job", script.toString()));
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().category()).contains(FailureCategory.LAUNCH);
    assertThat(exited.end().note()).get().asString().contains(script.toString());
  }

  @Test
  void resultAndProgressLinesAreTold() throws Exception {
    host.sh(
        "job",
        "echo '#stoker:progress 0.5'; echo '#stoker:result {\"a\":1}'; echo '#stoker:result [2]'");
    assertThat(host.next(Input.Progress.class).progress().doubleValue()).isEqualTo(0.5);
    assertThat(host.next(Input.Result.class).result().path("a").intValue()).isEqualTo(1);
    assertThat(host.next(Exited.class).end().result())
        .get()
        .satisfies(result -> assertThat(result.toString()).isEqualTo("[2]"));
  }

  @Test
  void theResultFileWinsOverResultLinesIfThereIsSomethingInIt() throws Exception {
    host.sh("a", "echo '#stoker:result 1'; echo 2 >\"$STOKER_RESULT\"");
    assertThat(host.next(Exited.class).end().result().orElseThrow().intValue()).isEqualTo(2);
    host.sh("b", "echo '#stoker:result 1'; : >\"$STOKER_RESULT\"");
    assertThat(host.next(Exited.class).end().result().orElseThrow().intValue()).isEqualTo(1);
  }

  @Test
  void aResultThatCannotBeKeptSaysWhy() throws Exception {
    host.sh("a", "echo '{' >\"$STOKER_RESULT\"");
    assertThat(host.next(Exited.class).end().resultProblem())
        .get()
        .asString()
        .contains("the result file is not valid JSON");
    host.sh("b", "head -c 300000 /dev/zero | tr '\\0' 1 >\"$STOKER_RESULT\"");
    assertThat(host.next(Exited.class).end().resultProblem())
        .get()
        .asString()
        .contains("larger than 262144 bytes");
  }

  @Test
  void aMemberOfAGangFindsItsRankAndWhereTheOthersAreUnlessTheRequestSaysOtherwise()
      throws Exception {
    Map<String, String> env = Map.of("WORLD_SIZE", "16", "STOKER_RANK", "99");
    host.launch(host.place("job", env, "env", "-0").in(new Gang(1, 2, "fe80::1:4000")));
    host.next(Exited.class);
    assertThat(Files.readString(data.resolve("runs/job-1/stdout")).split("\0"))
        .contains(
            "RANK=1",
            "WORLD_SIZE=16",
            "MASTER_ADDR=fe80::1",
            "MASTER_PORT=4000",
            "STOKER_RANK=1",
            "STOKER_WORLD_SIZE=2",
            "STOKER_MASTER_ADDR=fe80::1",
            "STOKER_MASTER_PORT=4000");
  }

  @Test
  void aJobSeesTheAllowListItsOwnEnvironmentAndWhatStokerSays() throws Exception {
    Map<String, String> env =
        Map.of("EPOCHS", "3", "QUOTE", "it's $HOME\n`id`", "odd.name", "x", "STOKER_ATTEMPT", "99");
    host.launch(host.place("job", env, "env", "-0"));
    host.next(Exited.class);
    List<String> seen = List.of(Files.readString(data.resolve("runs/job-1/stdout")).split("\0"));
    assertThat(seen)
        .contains(
            "EPOCHS=3",
            "QUOTE=it's $HOME\n`id`",
            "odd.name=x",
            "STOKER_ATTEMPT=1",
            "STOKER_JOB_ID=job",
            "STOKER_REQUEST_ID=request-job",
            "CUDA_VISIBLE_DEVICES=",
            "CUDA_DEVICE_ORDER=PCI_BUS_ID",
            "PATH=" + System.getenv("PATH"));
    List<String> allowed =
        List.of("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR");
    List<String> others = List.of("JAVA_HOME", "PWD", "OLDPWD", "_", "EPOCHS", "QUOTE", "odd.name");
    assertThat(seen)
        .extracting(line -> line.substring(0, line.indexOf('=')))
        .allMatch(
            name ->
                allowed.contains(name)
                    || others.contains(name)
                    || name.matches("(STOKER|CUDA|NVIDIA|LC|LD)_.*"));
  }

  @Test
  void paramsDependenciesAndAFreshWorkFolderAreThere() throws Exception {
    host.sh("job", "cat \"$STOKER_PARAMS\" \"$STOKER_DEPENDENCIES\"; ls -A | wc -l; pwd");
    host.next(Exited.class);
    assertThat(host.output().lines().map(String::strip))
        .containsExactly("{}", "[]", "0", data.resolve("runs/job-1/work").toString());
  }

  @Test
  void aFolderServesAgainWithNothingOfTheFormerRunInIt() throws Exception {
    AttemptKey first =
        host.sh(
            "first",
            "echo secret; echo secret >&2; echo secret >../file; echo 1 >\"$STOKER_RESULT\"");
    host.next(Exited.class);
    Object inode = inode(first);
    host.runner.remove(first);
    AttemptKey second = host.sh("second", "cat ../*; ls -A . ..");
    Exited exited = host.next(Exited.class);
    assertThat(inode(second)).isEqualTo(inode);
    assertThat(exited.end().result()).isEmpty();
    assertThat(Files.readString(data.resolve("runs/" + second + "/stdout")))
        .doesNotContain("secret")
        .contains("stdout\n")
        .doesNotContain("file");
  }

  @Test
  void theFolderOfARunThatLeftAProcessDoesNotServeAgain() throws Exception {
    Path pid = data.resolve("pid");
    AttemptKey first =
        host.sh(
            "first",
            "setsid sh -c 'echo $$ >%s.new; mv %1$s.new %1$s; sleep 1000' & while [ ! -e %1$s ]; do sleep 0.01; done"
                .formatted(pid));
    host.next(Exited.class);
    Path kept = Files.createLink(data.resolve("kept"), data.resolve("runs/" + first + "/stdout"));
    host.runner.remove(first);
    AttemptKey second = host.sh("second", "echo second");
    host.next(Exited.class);
    assertThat(data.resolve("spare")).isEmptyDirectory();
    assertThat(Files.isSameFile(kept, data.resolve("runs/" + second + "/stdout"))).isFalse();
  }

  private Object inode(AttemptKey key) throws IOException {
    return Files.getAttribute(data.resolve("runs/" + key), "unix:ino");
  }

  @Test
  void logsAreNumberedAndTheLastSaysSo() throws Exception {
    host.sh("job", "echo one; echo two >&2; printf three");
    host.next(Exited.class);
    assertThat(host.output()).contains("one\n").contains("two\n").contains("three");
    for (int i = 0; i < host.logs.size(); i++) {
      assertThat(host.logs.get(i).n()).isEqualTo(i);
      assertThat(host.logs.get(i).last()).isEqualTo(i == host.logs.size() - 1);
    }
  }

  @Test
  void logsAreCappedAndResultsBeyondTheCapStillCount() throws Exception {
    host.sh("job", "yes | head -c 500000; echo '#stoker:result 5'");
    assertThat(host.next(Exited.class).end().result().orElseThrow().intValue()).isEqualTo(5);
    assertThat(host.output()).hasSize(100_000);
    LogChunk last = host.logs.getLast();
    assertThat(last.truncated()).isTrue();
  }

  @Test
  void aKillEndsTheWholeTreeAlsoWhatCalledSetsidAndIgnoresSigterm() throws Exception {
    Path pids = data.resolve("pids");
    AttemptKey key =
        host.sh(
            "job",
            "setsid sh -c 'trap \"\" TERM; echo $$ >>%1$s; sleep 1000' & sh -c 'echo $$ >>%1$s; sleep 1001' & wait"
                .formatted(pids));
    host.next(Started.class);
    await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 2);
    host.runner.kill(key, 200);
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(143);
    for (String pid : Files.readAllLines(pids)) {
      assertThat(OwnProcess.stat(Long.parseLong(pid)).filter(stat -> stat.state() != 'Z'))
          .as("process %s", pid)
          .isEmpty();
    }
  }

  @Test
  void theEndIsToldOnlyWhenNoProcessOfTheTreeIsLeft() throws Exception {
    Path pid = data.resolve("pid");
    host.sh(
        "job",
        "setsid sh -c 'echo $$ >%s.new; mv %1$s.new %1$s; sleep 1000' & while [ ! -e %1$s ]; do sleep 0.01; done"
            .formatted(pid));
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
    assertThat(
            OwnProcess.stat(Long.parseLong(Files.readString(pid).strip()))
                .filter(stat -> stat.state() != 'Z'))
        .isEmpty();
  }

  @Test
  void withoutAWatchdogNothingStarts() throws Exception {
    host.watchdog.close();
    await().until(() -> !OwnProcess.read(data.resolve("watchdog")).orElseThrow().alive());
    host.sh("job", "echo started");
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.REFUSED);
    assertThat(told.reason()).contains("watchdog");
  }

  @Test
  void pastTheDeadlineNothingStarts() throws Exception {
    host.deadline.write(host.clock.bootMs());
    host.sh("job", "echo started");
    assertThat(host.next(NotStarted.class).reason()).contains("lease");
  }

  @Test
  void anotherRunnerAdoptsWhatRunsAndTellsItsExitCode() throws Exception {
    Path go = data.resolve("go");
    var place =
        host.place(
            "job", "sh", "-c", "while [ ! -e %s ]; do sleep 0.02; done; exit 9".formatted(go));
    host.launch(place);
    Started started = host.next(Started.class);
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(started.process()), 1);
    assertThat(host.next(Started.class).process().pid()).isEqualTo(started.process().pid());
    Files.createFile(go);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(9);
  }

  @Test
  void anotherRunnerTellsWhatEndedMeanwhile() throws Exception {
    var place = host.place("job", "sh", "-c", "exit 5");
    host.launch(place);
    Started started = host.next(Started.class);
    host.next(Exited.class);
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(started.process()), 1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(5);
  }

  @Test
  void aRunThatNobodyClaimedIsRevokedSoThatNobodyElseStartsIt() throws Exception {
    var place = host.place("job", "sh", "-c", "echo started");
    host.runner.adopt(place, Optional.empty(), 1);
    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.UNCLAIMED);
  }

  @Test
  void whatCannotBeMatchedIsKilled() throws Exception {
    AttemptKey key = host.sh("stranger", "sleep 1000");
    Started started = host.next(Started.class);
    host.runner.close();
    host.startRunner();
    host.runner.killStrangers(java.util.Set.of());
    OwnProcess process = new OwnProcess(started.process().pid(), started.process().startTicks());
    await().until(() -> !process.alive());
    await().until(() -> !Files.exists(data.resolve("runs/" + key)));
  }

  @Test
  void aSpawnerThatDiesIsReplacedAndNothingIsLostOrRunTwice() throws Exception {
    OwnProcess spawner = Spawners.only(data);
    Path log = data.resolve("ran");
    for (int i = 0; i < 20; i++) {
      host.sh("job" + i, "echo %d >>%s".formatted(i, log));
      if (i == 10) {
        spawner.kill();
      }
    }
    int unknown = 0;
    for (int i = 0; i < 20; i++) {
      OptionalInt exitCode = host.next(Exited.class).end().exitCode();
      assertThat(exitCode.orElse(0)).isZero();
      unknown += exitCode.isEmpty() ? 1 : 0;
    }
    // The one that it was just starting, at most.
    assertThat(unknown).isLessThanOrEqualTo(1);
    assertThat(Files.readAllLines(log)).doesNotHaveDuplicates().hasSizeBetween(20 - unknown, 20);
  }

  @Test
  void theExitCodeOfWhatRunsSurvivesTheSpawner() throws Exception {
    Path go = data.resolve("go");
    AttemptKey key = host.sh("job", "while [ ! -e %s ]; do sleep 0.02; done; exit 9".formatted(go));
    host.next(Started.class);
    Spawners.only(data).kill();
    host.sh("next", "exit 4");
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(4);
    Files.createFile(go);
    Exited exited = host.next(Exited.class);
    assertThat(exited.key()).isEqualTo(key);
    assertThat(exited.end().exitCode()).hasValue(9);
    assertThat(RunState.read(data.resolve("runs/" + key + "/state")))
        .isInstanceOfSatisfying(
            RunState.Ended.class, ended -> assertThat(ended.exitCode()).isEqualTo(9));
  }

  @Test
  void aJobHasASessionOfItsOwnDefaultSignalsAndNoDescriptorOfOurs() throws Exception {
    host.sh(
        "job", "cat /proc/self/stat; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd");
    Started started = host.next(Started.class);
    host.next(Exited.class);
    List<String> lines = host.output().lines().toList();
    assertThat(ProcStat.parse(lines.getFirst()).session()).isEqualTo(started.process().pid());
    // 32 and 33 are the C library's own.
    assertThat(lines.subList(1, 3))
        .allSatisfy(
            line ->
                assertThat(Long.parseUnsignedLong(line.split("\t")[1], 16) & 0x7fff_ffffL)
                    .as(line)
                    .isZero());
    // Descriptor 3 is the folder that ls lists.
    assertThat(lines.subList(3, lines.size())).containsExactly("0", "1", "2", "3");
  }

  @Test
  void aScriptWithoutInterpreterIsTheShells() throws Exception {
    Path script = Files.writeString(data.resolve("plain"), "echo \"got $1\"; exit 3\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    host.launch(host.place("job", script.toString(), "it"));
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
    assertThat(host.output()).isEqualTo("got it\n");
  }

  /** A staged process in shell: answers every command with what the file says, and names itself. */
  private static final String STAGED =
      "while read -r line; do echo \"$$ $line\";"
          + " n=${line#*\\\"n\\\":}; n=${n%%,*};"
          + " echo \"#stoker:stage {\\\"v\\\":1,\\\"n\\\":$n,\\\"is\\\":\\\"oom\\\"}\"; done";

  @Test
  void aStagedProcessIsToldAndAnswersAndAnotherFollowsItInTheSameLog() throws Exception {
    AttemptKey key = host.launch(host.stagedPlace("job", "sh", "-c", STAGED), 1);
    long first = host.next(Started.class).process().pid();
    host.runner.tell(key, Json.read("{\"v\":1,\"n\":1,\"do\":\"load\"}"));
    Input.StageSaid said = host.next(Input.StageSaid.class);
    assertThat(said.said().command()).isEqualTo(1);
    assertThat(said.said().what()).isEqualTo(Said.What.OOM);
    host.runner.kill(key, 0);
    host.next(Exited.class);

    host.launch(host.stagedPlace("job", "sh", "-c", STAGED), 2);
    long second = host.next(Started.class).process().pid();
    host.runner.tell(key, Json.read("{\"v\":1,\"n\":2,\"do\":\"load\"}"));
    assertThat(host.next(Input.StageSaid.class).said().command()).isEqualTo(2);

    assertThat(second).isNotEqualTo(first);
    assertThat(host.logs).noneMatch(LogChunk::last);
    host.runner.kill(key, 0);
    host.next(Exited.class);
    host.runner.closeLog(key);
    await().until(() -> host.logs.stream().anyMatch(LogChunk::last));
    assertThat(host.output()).contains(first + " {\"v\":1,\"n\":1").contains(second + " {\"v\"");
    assertThat(host.logs).extracting(LogChunk::n).doesNotHaveDuplicates();
  }

  @Test
  void aStagedProcessGoesOnUnderTheNextAgentAndIsToldByIt() throws Exception {
    Place place = host.stagedPlace("job", "sh", "-c", STAGED);
    AttemptKey key = host.launch(place, 1);
    Started started = host.next(Started.class);
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(started.process()), 1);
    host.next(Started.class);

    host.runner.tell(key, Json.read("{\"v\":1,\"n\":5,\"do\":\"train\",\"device\":\"cuda:0\"}"));

    assertThat(host.next(Input.StageSaid.class).said().command()).isEqualTo(5);
  }

  @Test
  void aSecondProcessWhoseLaunchWasLostIsNotTakenForTheFirst() throws Exception {
    Place place = host.stagedPlace("job", "sh", "-c", "exit 3");
    host.launch(place, 1);
    host.next(Exited.class);
    host.runner.close();
    host.startRunner();

    host.runner.adopt(place, Optional.empty(), 2);

    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.UNCLAIMED);
    host.launch(place, 2);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
  }
}
