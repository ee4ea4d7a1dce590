package io.stoker.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.DeadlineFile;
import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.Pipes;
import io.stoker.agent.spawn.RunTag;
import io.stoker.agent.spawn.SpawnerMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The watchdog beside a fake agent that is stopped, killed, or well. */
@Timeout(300)
class WatchdogTest {
  private static final String OWNER = "watched-" + ProcessHandle.current().pid();

  /** A user of whom nothing else runs. */
  private static final int ANOTHER = 54_321;

  /** Between two looks at a deadline that is far, in hundredths of a second. */
  private static final int LONGEST = 30;

  @TempDir Path data;
  private final List<Process> started = new ArrayList<>();
  private BootClock clock;
  private DeadlineFile deadline;
  private Process agent;

  @BeforeEach
  void start() throws IOException {
    clock = new BootClock();
    deadline = new DeadlineFile(data, clock.bootId());
    deadline.write(clock.bootMs() + 60_000);
    Files.createDirectories(data.resolve("runs"));
    agent = process("sleep", "1000");
  }

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
  }

  private Process process(String... command) throws IOException {
    Process process = new ProcessBuilder(command).start();
    started.add(process);
    return process;
  }

  private Process job(String... before) throws IOException {
    List<String> command = new ArrayList<>(List.of(before));
    command.addAll(List.of("setsid", "sleep", "1000"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("STOKER_TREE", OWNER + "/job-1");
    Process job = builder.start();
    started.add(job);
    return job;
  }

  private Process watchdog(String... before) throws IOException {
    Path script = Scripts.unpack(Watchdog.class, "watchdog.sh", data);
    OwnProcess of = OwnProcess.of(agent.pid());
    List<String> command = new ArrayList<>(List.of(before));
    command.addAll(
        List.of(
            "setsid",
            "sh",
            script.toString(),
            data.toString(),
            OWNER,
            Long.toString(of.pid()),
            Long.toString(of.startTicks()),
            Integer.toString(LONGEST),
            Long.toString(RunTag.ownerOf(OWNER))));
    Process watchdog = process(command.toArray(String[]::new));
    BufferedReader said = watchdog.inputReader();
    assertThat(said.readLine()).isEqualTo("ready");
    return watchdog;
  }

  private void signal(Process process, String signal) throws Exception {
    assertThat(process("kill", "-" + signal, Long.toString(process.pid())).waitFor()).isZero();
  }

  @Test
  void killsTheJobsOfAStoppedAgentWhenTheDeadlinePasses() throws Exception {
    watchdog();
    Process job = job();
    signal(agent, "STOP");
    deadline.write(clock.bootMs() + 500);
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    assertThat(clock.bootMs()).isGreaterThanOrEqualTo(deadline.read().orElseThrow());
    assertThat(agent.isAlive()).isTrue();
  }

  @Test
  void killsTheJobsOfADeadAgentWhenTheDeadlinePassesThenGoes() throws Exception {
    Process watchdog = watchdog();
    Process job = job();
    agent.destroyForcibly().waitFor();
    deadline.write(clock.bootMs() + 500);
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    await().atMost(Duration.ofSeconds(60)).until(() -> !watchdog.isAlive());
  }

  /**
   * Of an agent that has died: it may have seen the watchdog alive, and start its job after that.
   */
  @Test
  void staysForASpawnerThatMayStartAJobYetButForNoKeeper() throws Exception {
    Pipes.make(data.resolve(KeeperMain.PIPE));
    spawner("cat", data.resolve(KeeperMain.PIPE).toString());
    Process spawner = spawner("sleep", "1000");
    Process watchdog = watchdog();
    agent.destroyForcibly().waitFor();
    long looked = clock.bootMs() + 10 * LONGEST * 10;
    await().atMost(Duration.ofSeconds(60)).until(() -> clock.bootMs() > looked);
    assertThat(watchdog.isAlive()).isTrue();

    Process job = job();
    spawner.destroyForcibly().waitFor();
    deadline.write(clock.bootMs() + 500);
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    await().atMost(Duration.ofSeconds(60)).until(() -> !watchdog.isAlive());
  }

  private Process spawner(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(SpawnerMain.VARIABLE, OWNER);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  @Test
  void killsThemOnAHostThatHasNoProcessToSpareToo() throws Exception {
    assumeThat(System.getProperty("user.name")).as("who may be another user").isEqualTo("root");
    String[] other = {"setpriv", "--reuid=" + ANOTHER, "--regid=" + ANOTHER, "--clear-groups"};
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path run = Files.createDirectories(data.resolve("runs").resolve("job-1"));
    Process watchdog =
        watchdog(
            Stream.concat(Stream.of(other), Stream.of("prlimit", "--nproc=2:2"))
                .toArray(String[]::new));
    Process job = job(other);
    job(other); // one more, of no run that has a folder
    OwnProcess first = OwnProcess.of(job.pid());
    Files.writeString(run.resolve("state"), "%d %d\n".formatted(first.pid(), first.startTicks()));
    agent.destroyForcibly().waitFor();
    deadline.write(clock.bootMs() + 2_000);

    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());

    assertThat(clock.bootMs()).isGreaterThanOrEqualTo(deadline.read().orElseThrow());
    assertThat(watchdog.isAlive()).as("it cannot know that nothing is left").isTrue();
  }

  @Test
  void leavesJobsAloneWhileTheDeadlineMoves() throws Exception {
    watchdog();
    long first;
    do {
      first = clock.bootMs() + 3_000;
      deadline.write(first);
      long seen = clock.bootMs() + 2 * LONGEST * 10;
      await().until(() -> clock.bootMs() > seen);
      deadline.write(first + 60_000);
    } while (clock.bootMs() >= first); // this machine stood still meanwhile
    Process job = job();
    long passed = first + LONGEST * 10;
    await().until(() -> clock.bootMs() > passed);
    assertThat(job.isAlive()).isTrue();
  }

  @Test
  void aDamagedDeadlineIsNotBelievedAndTheLastOneStays() throws Exception {
    Process watchdog = watchdog();
    Process job = job();
    long written = clock.bootMs();
    long last = written + 12_000; // far behind the looks below, which take some 4 s
    deadline.write(last - 10);
    deadline.write(last);
    await().until(() -> clock.bootMs() > written + 3 * LONGEST * 10); // it has looked
    Path file = data.resolve("deadline");
    String sound = Files.readString(file);
    for (String damaged :
        List.of("9" + sound, sound.replaceFirst("[0-9]", "x"), sound.replace('-', '+'), "")) {
      Files.writeString(file, damaged);
      long until = clock.bootMs() + 2 * LONGEST * 10;
      await().until(() -> clock.bootMs() > until);
      if (!job.isAlive()) { // no sooner than it may, where this machine stood still meanwhile
        assertThat(clock.bootMs()).as(damaged).isGreaterThanOrEqualTo(last);
      }
    }
    Files.writeString(file, "9" + sound);
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    assertThat(clock.bootMs()).isGreaterThanOrEqualTo(last);
    assertThat(watchdog.isAlive()).isTrue();
  }

  @Test
  void whoBeginsWithADamagedOneGoesByTheOneBefore() throws Exception {
    long before = clock.bootMs() + 2_000;
    deadline.write(before);
    deadline.write(before + 60_000);
    Path file = data.resolve("deadline");
    Files.writeString(file, "9" + Files.readString(file));
    Process job = job();
    watchdog();
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    assertThat(clock.bootMs()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void oneThatAnEarlierBuildHasWrittenCounts() throws Exception {
    long until = clock.bootMs() + 2_000;
    Files.delete(data.resolve("deadline"));
    Files.writeString(data.resolve("deadline"), (until / 10) + "\n" + clock.bootId() + "\n");
    Process job = job();
    watchdog();
    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    assertThat(clock.bootMs()).isGreaterThanOrEqualTo(until / 10 * 10);
  }

  @Test
  void aJobThatSlippedInAfterTheDeadlineDiesToo() throws Exception {
    watchdog();
    deadline.write(clock.bootMs());
    Process first = job();
    await().atMost(Duration.ofSeconds(60)).until(() -> !first.isAlive());
    Process second = job();
    await().atMost(Duration.ofSeconds(60)).until(() -> !second.isAlive());
  }

  @Test
  void givesWayToTheOneThatTookOver() throws Exception {
    Process old = watchdog();
    Process fresh = watchdog();
    assertThat(OwnProcess.read(data.resolve("watchdog")))
        .hasValueSatisfying(named -> assertThat(named.pid()).isEqualTo(fresh.pid()));
    await().atMost(Duration.ofSeconds(60)).until(() -> !old.isAlive());
    assertThat(fresh.isAlive()).isTrue();
  }

  @Test
  void jobsDieWithTheFolderOfTheirAgent() throws Exception {
    Process watchdog = watchdog();
    Process job = job();
    agent.destroyForcibly().waitFor();
    try (Stream<Path> all = Files.walk(data)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }

    await().atMost(Duration.ofSeconds(60)).until(() -> !job.isAlive());
    await().atMost(Duration.ofSeconds(60)).until(() -> !watchdog.isAlive());
  }

  @Test
  void aWatchdogThatIsKilledIsReplaced() throws Exception {
    try (Watchdog kept = new Watchdog(data, OWNER, trouble -> {})) {
      long first = kept.pid();
      ProcessHandle.of(first).orElseThrow().destroyForcibly();
      await().atMost(Duration.ofSeconds(60)).until(() -> kept.pid() != first);
      assertThat(OwnProcess.read(data.resolve("watchdog")).orElseThrow().alive()).isTrue();
    }
  }

  @Test
  void oneThatCannotBeStartedIsSaidAndTriedAgainUntilItCan() throws Exception {
    BlockingQueue<Optional<String>> said = new LinkedBlockingQueue<>();
    try (Watchdog kept = new Watchdog(data, OWNER, said::add)) {
      Path err = data.resolve("watchdog.err");
      Files.delete(err);
      Files.createDirectory(err);
      long first = kept.pid();
      ProcessHandle.of(first).orElseThrow().destroyForcibly();

      assertThat(said.poll(60, TimeUnit.SECONDS).orElseThrow())
          .startsWith("the watchdog cannot be started: ");
      Files.delete(err);
      assertThat(said.poll(60, TimeUnit.SECONDS)).isEmpty();
      assertThat(OwnProcess.read(data.resolve("watchdog")).orElseThrow())
          .isEqualTo(OwnProcess.of(kept.pid()));
      assertThat(kept.pid()).isNotEqualTo(first);
    }
  }

  @Test
  void oneThatCannotBeStartedAtFirstIsTriedAgainToo() throws Exception {
    BlockingQueue<Optional<String>> said = new LinkedBlockingQueue<>();
    Path inTheWay = Files.createDirectories(data.resolve("watchdog.sh/folder"));
    try (Watchdog kept = new Watchdog(data, OWNER, said::add)) {
      assertThat(said.poll(60, TimeUnit.SECONDS)).isPresent();
      assertThat(kept.pid()).isZero();
      Files.delete(inTheWay);
      Files.delete(inTheWay.getParent());
      assertThat(said.poll(60, TimeUnit.SECONDS)).isEmpty();
      assertThat(kept.pid()).isPositive();
    }
  }
}
