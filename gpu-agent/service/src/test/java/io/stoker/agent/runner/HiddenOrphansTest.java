package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.spawn.OwnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes that have left their run's session, with an environment that tells nothing, and whose
 * parents are gone: each ends with its run, and with no other. There are no control groups.
 */
@Timeout(300)
class HiddenOrphansTest {
  @TempDir Path data;
  private RunnerFixture host;
  private final List<OwnProcess> begun = new ArrayList<>();

  /** How a job leaves somebody behind; {@code %s} is a file for the pid. */
  enum Way {
    SESSION("setsid env -i sh -c '%s' &"),
    TWO_FORKS("env -i sh -c '(setsid env -i sh -c \"%s\" &) &' &"),
    PARENT_STAYS("setsid env -i sh -c '(setsid sh -c \"%s\" &); sleep 1000' &"),
    IGNORES_TERM("setsid env -i sh -c 'trap \"\" TERM; %s' &");

    private final String script;

    Way(String script) {
      this.script = script;
    }

    /** Does it, and goes on when whoever is left behind has written its pid. */
    String script(Path pid) {
      String own = "echo \\$\\$ >%1$s.new; mv %1$s.new %1$s; exec sleep 1000".formatted(pid);
      String plain = script.contains("\"%s\"") ? own : own.replace("\\$", "$");
      return script.formatted(plain) + " while [ ! -e %s ]; do sleep 0.02; done; ".formatted(pid);
    }
  }

  @BeforeEach
  void start() throws IOException {
    host = new RunnerFixture(data);
    assertThat(host.groups).extracting(RunGroups::any).isEqualTo(false);
  }

  @AfterEach
  void stop() {
    begun.forEach(OwnProcess::kill);
    host.close();
  }

  private OwnProcess orphan(String job) throws IOException {
    Path file = data.resolve(job + ".pid");
    await().until(() -> Files.exists(file));
    OwnProcess orphan = OwnProcess.of(Long.parseLong(Files.readString(file).strip()));
    begun.add(orphan);
    return orphan;
  }

  private AttemptKey job(String job, Way way, String then) {
    return host.sh(job, way.script(data.resolve(job + ".pid")) + then);
  }

  /** A job that runs on, with a helper that is left behind in the same way. */
  private OwnProcess neighbour(Way way) throws Exception {
    job("neighbour", way, "while [ ! -e %s ]; do sleep 0.05; done".formatted(data.resolve("end")));
    host.next(Started.class);
    OwnProcess helper = orphan("neighbour");
    assertThat(helper.alive()).isTrue();
    return helper;
  }

  private void endNeighbour(OwnProcess helper) throws Exception {
    assertThat(helper.alive()).as("the neighbour's helper").isTrue();
    Files.createFile(data.resolve("end"));
    assertThat(host.next(Exited.class).key().stem()).isEqualTo("neighbour");
    assertThat(helper.alive()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void endsWithItsJobThatSucceeds(Way way) throws Exception {
    OwnProcess helper = neighbour(way);
    AttemptKey key = job("job", way, "exit 0");
    Exited exited = host.next(Exited.class);
    assertThat(exited.key()).isEqualTo(key);
    assertThat(exited.end().exitCode()).hasValue(0);
    assertThat(orphan("job").alive()).isFalse();
    endNeighbour(helper);
  }

  @ParameterizedTest
  @EnumSource
  void endsWithItsJobThatIsKilled(Way way) throws Exception {
    OwnProcess helper = neighbour(way);
    AttemptKey key = job("job", way, "sleep 1000");
    host.next(Started.class);
    OwnProcess orphan = orphan("job");
    assertThat(orphan.alive()).isTrue();
    host.runner.kill(key, 200);
    assertThat(host.next(Exited.class).key()).isEqualTo(key);
    assertThat(orphan.alive()).isFalse();
    endNeighbour(helper);
  }

  @Test
  void endsAlthoughTheSpawnerThatAdoptedItWasKilled() throws Exception {
    OwnProcess helper = neighbour(Way.TWO_FORKS);
    AttemptKey key = job("job", Way.TWO_FORKS, "sleep 1000");
    host.next(Started.class);
    OwnProcess orphan = orphan("job");
    OwnProcess spawner = Spawners.only(data);
    spawner.kill();
    host.runner.kill(key, 200);
    assertThat(host.next(Exited.class).key()).isEqualTo(key);
    assertThat(orphan.alive()).isFalse();
    endNeighbour(helper);
  }

  @Test
  void endsWithItsJobThatEndedWhileThereWasNoAgent() throws Exception {
    OwnProcess helper = neighbour(Way.SESSION);
    AttemptKey key =
        job(
            "job",
            Way.SESSION,
            "while [ ! -e %s ]; do sleep 0.05; done".formatted(data.resolve("go")));
    Started started = host.next(Started.class);
    OwnProcess orphan = orphan("job");
    host.runner.close();
    OwnProcess first = OwnProcess.of(started.process().pid());
    Files.createFile(data.resolve("go"));
    await().until(() -> !first.alive());
    assertThat(orphan.alive()).isTrue();

    host.startRunner();
    host.runner.adopt(host.place("neighbour", "earlier"), Optional.empty(), 1);
    host.runner.adopt(host.place("job", "earlier"), Optional.of(started.process()), 1);
    Exited exited = host.next(Exited.class);
    assertThat(exited.key()).isEqualTo(key);
    assertThat(exited.end().exitCode()).hasValue(0);
    assertThat(orphan.alive()).isFalse();
    endNeighbour(helper);
  }

  @Test
  void ofARunThatTheJournalDoesNotKnowEndsToo() throws Exception {
    OwnProcess helper = neighbour(Way.SESSION);
    job("job", Way.SESSION, "sleep 1000");
    host.next(Started.class);
    OwnProcess orphan = orphan("job");
    host.runner.close();
    host.startRunner();
    host.runner.killStrangers(Set.of(new AttemptKey("neighbour", 1)), Set.of()).join();
    assertThat(orphan.alive()).isFalse();
    host.runner.adopt(host.place("neighbour", "earlier"), Optional.empty(), 1);
    endNeighbour(helper);
  }

  private OwnProcess marked(Path folder, String owner) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder.environment().put("STOKER_TREE", owner + "/job-1");
    builder.environment().put("STOKER_RESULT", folder + "/runs/job-1/result.json");
    OwnProcess process = OwnProcess.of(builder.start().pid());
    begun.add(process);
    return process;
  }

  @Test
  void whatTheFolderWasToldOfEndsThoughItsMarkIsLostAndWhatAnotherWasToldOfRunsOn()
      throws Exception {
    OwnProcess ours = marked(data, "an-earlier-mark");
    OwnProcess others = marked(data.resolveSibling("another"), "an-earlier-mark");
    await().until(() -> environ(ours).contains("STOKER_RESULT"));
    host.runner.killStrangers(Set.of(), Set.of()).join();
    assertThat(ours.alive()).isFalse();
    assertThat(others.alive()).isTrue();
  }

  private static String environ(OwnProcess process) throws IOException {
    return Files.readString(
        Path.of("/proc/" + process.pid() + "/environ"),
        java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  @Test
  void endsWithTheLease() throws Exception {
    job("job", Way.TWO_FORKS, "sleep 1000");
    host.next(Started.class);
    OwnProcess orphan = orphan("job");
    host.deadline.write(host.clock.bootMs());
    await().until(() -> !orphan.alive());
  }

  @Test
  void ofAStagedJobEndsBeforeItsNextProcessStarts() throws Exception {
    OwnProcess helper = neighbour(Way.SESSION);
    String script = Way.SESSION.script(data.resolve("job.pid")) + "exit 0";
    host.launch(host.stagedPlace("job", "sh", "-c", script), 1);
    host.next(Exited.class);
    assertThat(orphan("job").alive()).isFalse();
    endNeighbour(helper);
  }

  @Test
  void aProgramThatCannotBeStartedLeavesTheSpawnerWithoutATag() throws Exception {
    host.launch(host.place("job", "/dev/null"));
    host.next(NotStarted.class);
    assertThat(new ProcessScan(RunnerFixture.OWNER).scan().ofOthersThan(Set.of())).isEmpty();
  }
}
