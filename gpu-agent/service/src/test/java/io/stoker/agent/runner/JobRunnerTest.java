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
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.ProcStat;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Gang;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes. */
@Timeout(300)
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

  /** As setpriv says where its user has all the processes that it may have. */
  @ParameterizedTest
  @ValueSource(strings = {"Resource temporarily unavailable", "Cannot allocate memory"})
  void whatTheHostIsShortOfIsNoFaultOfTheJob(String error) throws Exception {
    host.sh("job", "echo 'setpriv: failed to execute /usr/bin/env: " + error + "' >&2; exit 126");

    host.next(Started.class);
    NotStarted told = (NotStarted) host.next(60_000).orElseThrow();

    assertThat(told.cause()).isEqualTo(Cause.REFUSED);
    assertThat(told.reason()).startsWith("this host cannot start it now: setpriv").contains(error);
  }

  @Test
  void launch_withAWorkFolderThatNoPathCanName_isTold() throws Exception {
    host.launch(RunnerFixture.of("job", "true").workdir("/no\0where").build());

    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("it cannot be prepared", "/no");
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
  void end_nothingPrinted_saysSoAndLeavesNoLog() throws Exception {
    host.sh("job", "true");
    assertThat(host.next(Exited.class).end().silent()).isTrue();
    assertThat(host.logs).isEmpty();
  }

  @Test
  void end_somethingPrinted_isNotSilent() throws Exception {
    host.sh("job", "printf x >&2");
    assertThat(host.next(Exited.class).end().silent()).isFalse();
    assertThat(host.logs).last().matches(LogChunk::last);
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
    Started started = host.next(Started.class);
    await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 2);
    host.runner.kill(key, 20_000);
    // However long that takes it, it ends of SIGTERM.
    OwnProcess first = new OwnProcess(started.process().pid(), started.process().startTicks());
    await().until(() -> !first.alive());
    host.runner.kill(key, 0);
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
}
