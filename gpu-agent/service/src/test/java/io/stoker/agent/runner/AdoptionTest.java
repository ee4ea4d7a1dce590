package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.spawn.OwnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an agent finds that another one began, or whose spawner is gone. */
@Timeout(300)
class AdoptionTest {
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
  void whatIsToEndBeforeItsSpawnerHasSaidWhatItStarted_ends() throws Exception {
    AttemptKey key = host.sh("job", "sleep 1000");
    host.next(Started.class);
    host.runner.close();
    Path state = data.resolve("runs/" + key + "/state");
    String written = Files.readString(state);
    Files.writeString(state, ""); // taken, and no more

    host.startRunner();
    host.sh("first", "true"); // a spawner that begins would take longer than one is waited for
    host.next(Exited.class);
    host.runner.adopt(host.place("job", "true"), Optional.empty(), 1);
    host.runner.kill(key, 0);
    // Behind it, so that it has been asked for by now.
    AttemptKey next = host.sh("next", "true");
    assertThat(host.next(Exited.class).key()).isEqualTo(next);
    Files.writeString(state, written);

    Started found = host.next(Started.class);
    OwnProcess process = new OwnProcess(found.process().pid(), found.process().startTicks());
    await().until(() -> !process.alive());
    host.next(Exited.class);
  }

  @Test
  void whatCannotBeMatchedIsKilled() throws Exception {
    AttemptKey key = host.sh("stranger", "sleep 1000");
    Started started = host.next(Started.class);
    host.runner.close();
    host.startRunner();
    host.runner.killStrangers(Set.of(), Set.of());
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
  void afterARebootItHasEndedUnseenWhateverHasItsPidNow() throws Exception {
    var place = host.place("job", "sh", "-c", "sleep 1000");
    host.launch(place);
    RunProcess before = host.next(Started.class).process();
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(onAnotherBoot(before)), 1);
    assertThat(host.next(Exited.class).end().exitCode()).isEmpty();
  }

  @Test
  void whatEndedBeforeTheRebootTellsItsExitCode() throws Exception {
    var place = host.place("job", "sh", "-c", "exit 5");
    host.launch(place);
    RunProcess before = host.next(Started.class).process();
    host.next(Exited.class);
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(onAnotherBoot(before)), 1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(5);
  }

  @Test
  void thatItSucceededBeforeTheRebootIsBelievedOnlyIfItsResultIsOnTheDisk() throws Exception {
    Path go = data.resolve("go");
    var told = host.place("told", "sh", "-c", "exit 0");
    host.launch(told);
    RunProcess first = host.next(Started.class).process();
    host.next(Exited.class);
    var untold =
        host.place("untold", "sh", "-c", "until [ -e %s ]; do sleep 0.02; done".formatted(go));
    host.launch(untold);
    RunProcess second = host.next(Started.class).process();
    host.runner.close();
    await().until(AdoptionTest::noOrdersAreWritten); // nobody but the spawner is there now
    Files.createFile(go);
    Path state = data.resolve("runs/" + new AttemptKey("untold", 1) + "/state");
    await().until(() -> Files.readAllLines(state).size() == 3);

    host.startRunner();
    host.runner.adopt(told, Optional.of(onAnotherBoot(first)), 1);
    assertThat(host.next(Exited.class).end().exitCode()).isEmpty();
    host.runner.adopt(untold, Optional.of(onAnotherBoot(second)), 1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
  }

  /** A closed runner has its spawner told so by a thread that ends then. */
  private static boolean noOrdersAreWritten() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals("launcher-orders"));
  }

  private static RunProcess onAnotherBoot(RunProcess process) {
    return new RunProcess(
        process.pid(),
        process.startTicks(),
        "the-boot-before",
        process.startedAt(),
        process.startedBootMs());
  }
}
