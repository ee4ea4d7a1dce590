package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.PoolStatus;
import io.stoker.agent.pool.Task;
import io.stoker.agent.pool.TaskEnd;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.secret.HostSecrets.HostSecret;
import io.stoker.agent.secret.SecretSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pool over real worker processes; each is a shell script. */
@Timeout(300)
class WorkersTest {
  /** However slowly a worker starts or ends, it is not killed for that. */
  private static final long PATIENCE_MS = 60_000;

  /** Tasks of the chaos test at least. */
  private static final int CHAOS = 300;

  /** How long it goes on at least; a minute is its long form. */
  private static final int CHAOS_SECONDS = Integer.getInteger("stoker.soak.workers-seconds", 0);

  /** Does what its params say, and says its seed. */
  private static final String SCRIPT =
      """
      say() { echo "#stoker:worker {\\"v\\":1,$1}"; }
      echo 'a line that means nothing'
      say '"is":"ready"'
      while read -r line; do
        n=${line#*'"n":'}; n=${n%%,*}
        case "$line" in
          *'"do":"stop"'*) exit 0 ;;
          *fail*) say "\\"n\\":$n,\\"is\\":\\"error\\",\\"message\\":\\"it was told to\\"" ;;
          *nothing*) say "\\"n\\":$n,\\"is\\":\\"done\\"" ;;
          *oom*) say "\\"n\\":$n,\\"is\\":\\"oom\\",\\"message\\":\\"full\\"" ;;
          *die*) kill -9 $$ ;;
          *block*) sleep 600 ;;
          *child*) sleep 600 & say "\\"n\\":$n,\\"is\\":\\"done\\"" ;;
          *large*)
            printf '#stoker:worker {"v":1,"n":%d,"is":"done","result":"' "$n"
            head -c 200000 /dev/zero | tr '\\0' x
            echo '"}' ;;
          *slow*)
            gate=${line#*'"gate":"'}; gate=${gate%%'"'*}
            printf '#stoker:worker {"v":1,"n":%d,"is":"done","result":"' "$n"
            head -c 100000 /dev/zero | tr '\\0' x
            until [ -e "$gate" ]; do sleep 0.05; done
            head -c 100000 /dev/zero | tr '\\0' x
            echo '"}' ;;
          *huge*)
            printf '#stoker:worker {"v":1,"n":%d,"is":"done","result":"' "$n"
            head -c 3000000 /dev/zero | tr '\\0' x
            echo '"}' ;;
          *progress*)
            printf '#stoker:worker {"v":1,"n":%d,"is":"progress","value":"' "$n"
            head -c 3000000 /dev/zero | tr '\\0' x
            echo '"}'
            say "\\"n\\":$n,\\"is\\":\\"progress\\",\\"value\\":NaN"
            say "\\"n\\":$n,\\"is\\":\\"done\\",\\"result\\":\\"went on\\"" ;;
          *nan*) say "\\"n\\":$n,\\"is\\":\\"done\\",\\"result\\":NaN" ;;
          *garbage*) say 'no JSON'; sleep 600 ;;
          *secret*) say "\\"n\\":$n,\\"is\\":\\"done\\",\\"result\\":\\"${#TOKEN} bytes: $TOKEN\\"" ;;
          *bare*) echo "#stoker:worker {\\"n\\":$n,\\"is\\":\\"done\\",\\"result\\":$TOKEN}" ;;
          *reveal*) say "\\"n\\":$n,\\"is\\":\\"error\\",\\"message\\":\\"not $TOKEN\\"" ;;
          *) say "\\"n\\":$n,\\"is\\":\\"done\\",\\"result\\":$STOKER_SEED" ;;
        esac
      done
      """;

  @TempDir Path data;
  private RunnerFixture fixture;
  private List<String> command;

  @BeforeEach
  void start() throws IOException {
    fixture = new RunnerFixture(data);
    command = List.of("sh", Files.writeString(data.resolve("worker.sh"), SCRIPT).toString());
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private PoolOnProcesses pool(int min, int max) {
    return new PoolOnProcesses(fixture, settings(min, max, Map.of()));
  }

  private PoolSettings withSecret() {
    return settings(1, 1, Map.of("TOKEN", "hf"));
  }

  private PoolSettings settings(int min, int max, Map<String, String> secrets) {
    PoolSettings usual = PoolSettings.of("p", command, min, max);
    return new PoolSettings(
        usual.name(),
        command,
        usual.env(),
        secrets,
        usual.workdir(),
        min,
        max,
        usual.queue(),
        usual.output(),
        PATIENCE_MS,
        PATIENCE_MS,
        PATIENCE_MS,
        usual.restart(),
        usual.gpus(),
        usual.gpuMemory(),
        usual.cpuSlots());
  }

  private static Task task(String job) {
    return new Task(job, 1);
  }

  @Test
  void answersWithResultsFailuresAndNothing() throws Exception {
    PoolOnProcesses on = pool(1, 1);
    on.until(() -> on.pool.report().status() == PoolStatus.SERVING);
    for (String what : List.of("plain", "fail", "nothing", "oom", "large", "huge")) {
      assertThat(on.offer(what, "{\"do it\":\"" + what + "\"}")).isTrue();
      on.until(() -> on.ends.containsKey(task(what)));
    }
    assertThat(result(on, "plain").asInt()).isEqualTo(1);
    assertThat(on.ends.get(task("fail")))
        .isEqualTo(new TaskEnd.Answered(new Answer.Failed("it was told to")));
    assertThat(on.ends.get(task("nothing")))
        .isEqualTo(new TaskEnd.Answered(new Answer.Done(Optional.empty())));
    assertThat(on.ends.get(task("oom")))
        .isEqualTo(new TaskEnd.Answered(new Answer.OutOfMemory("full")));
    assertThat(result(on, "large").textValue()).hasSize(200_000);
    assertThat(on.ends.get(task("huge")))
        .isInstanceOfSatisfying(
            TaskEnd.Answered.class,
            end -> assertThat(((Answer.Unkept) end.answer()).why()).contains("larger than"));
    assertThat(on.pool.report().idle()).isTrue();
    assertThat(on.pool.report().crashes()).isZero();
  }

  /** A job whose end is told while its worker still runs it would be run twice. */
  @Test
  void aJobIsOverWhenItsWorkerCertainlyDoesNotRunItAnyMore() throws Exception {
    PoolOnProcesses on = pool(1, 1);
    on.until(() -> on.pool.report().status() == PoolStatus.SERVING);

    on.offer("progress", "{\"what\":\"progress\"}");
    on.until(() -> on.ends.containsKey(task("progress")));
    assertThat(result(on, "progress").textValue()).isEqualTo("went on");

    on.offer("nan", "{\"what\":\"nan\"}");
    on.until(() -> on.ends.containsKey(task("nan")));
    assertThat(failure(on, "nan")).contains("no JSON");
    assertThat(on.pids).as("it goes on").containsOnlyKeys(1);

    on.offer("garbage", "{\"what\":\"garbage\"}");
    on.until(() -> on.ends.containsKey(task("garbage")));
    assertThat(failure(on, "garbage")).contains("no JSON");
    assertThat(on.pids).as("it is gone").doesNotContainKey(1);
    assertThat(on.pool.report().idle()).isTrue();
    assertThat(on.pool.report().crashes()).isZero();
  }

  private static String failure(PoolOnProcesses on, String job) {
    TaskEnd.Answered end = (TaskEnd.Answered) on.ends.get(task(job));
    return ((Answer.Failed) end.answer()).message();
  }

  private static JsonNode result(PoolOnProcesses on, String job) {
    TaskEnd.Answered end = (TaskEnd.Answered) on.ends.get(task(job));
    return ((Answer.Done) end.answer()).result().orElseThrow();
  }

  @Test
  void aSecretIsGivenAndHiddenInAllThatAWorkerSays() throws Exception {
    fixture.runner.close();
    Path token = Files.writeString(data.resolve("token"), "s3cr3t-value\n");
    fixture.secrets =
        new HostSecrets(Map.of("hf", new HostSecret(SecretSource.file(token), Set.of("research"))));
    fixture.startRunner();
    PoolOnProcesses on = new PoolOnProcesses(fixture, withSecret());

    assertThat(on.offer("told", "{\"what\":\"secret\"}")).isTrue();
    assertThat(on.offer("failed", "{\"what\":\"reveal\"}")).isTrue();
    assertThat(on.offer("bare", "{\"what\":\"bare\"}")).isTrue();
    on.until(() -> on.ends.size() == 3);

    assertThat(result(on, "told").textValue()).isEqualTo("12 bytes: ************");
    assertThat(on.ends.get(task("failed")))
        .isEqualTo(new TaskEnd.Answered(new Answer.Failed("not ************")));
    assertThat(failure(on, "bare")).contains("no JSON").doesNotContain("s3cr3t");
  }

  @Test
  void aPoolWhoseSecretCannotBeReadFailsAndSaysWhy() throws Exception {
    fixture.runner.close();
    fixture.secrets =
        new HostSecrets(
            Map.of("hf", new HostSecret(SecretSource.file(data.resolve("none")), Set.of("*"))));
    fixture.startRunner();
    PoolOnProcesses on = new PoolOnProcesses(fixture, withSecret());

    on.until(() -> on.pool.report().status() == PoolStatus.FAILED);

    assertThat(on.notes).anyMatch(note -> note.contains("env.TOKEN asks for secret hf"));
  }

  /** Each worker is read by itself: half of a large result is there, and the rest is not yet. */
  @Test
  void aLargeResultThatIsNotWholeYetDelaysNoOther() throws Exception {
    PoolOnProcesses on = pool(2, 2);
    on.until(() -> on.pool.report().status() == PoolStatus.SERVING);
    Path gate = data.resolve("gate");
    on.offer("large", "{\"what\":\"slow\",\"gate\":\"%s\"}".formatted(gate));
    for (int i = 0; i < 20; i++) {
      Task small = task("small-" + i);
      assertThat(on.offer(small.job(), "{}")).isTrue();
      on.until(() -> on.ends.containsKey(small));
    }
    assertThat(on.ends).doesNotContainKey(task("large"));

    Files.createFile(gate);
    on.until(() -> on.ends.containsKey(task("large")));

    assertThat(result(on, "large").textValue()).hasSize(200_000);
    assertThat(on.pool.report().idle()).isTrue();
  }

  @Test
  void aCrashedWorkerIsReplacedWithAnotherSeedAndItsQueueRuns() throws Exception {
    PoolOnProcesses on = pool(1, 1);
    on.offer("a", "{\"what\":\"die\"}");
    on.offer("b", "{}");
    on.offer("c", "{}");
    on.until(() -> on.pool.report().idle());

    assertThat(on.ends.get(task("a"))).isInstanceOf(TaskEnd.Crashed.class);
    assertThat(result(on, "b").asInt()).isEqualTo(2);
    assertThat(on.pool.report().crashes()).isEqualTo(1);
    assertThat(on.pool.report().processed()).isEqualTo(3);
  }

  @Test
  void closingLeavesNoProcessWhateverTheyDo() throws Exception {
    PoolOnProcesses on = pool(2, 2);
    on.offer("child", "{\"what\":\"child\"}");
    on.until(() -> on.ends.containsKey(task("child")));
    on.offer("a", "{\"what\":\"block\"}");
    on.offer("b", "{\"what\":\"block\"}");
    on.offer("c", "{\"what\":\"block\"}");
    on.until(() -> on.pool.report().busy() == 2);

    on.pool.close(Closing.ABORT, on.now());
    on.carry();
    on.until(() -> on.pool.report().status() == PoolStatus.CLOSED);

    assertThat(on.ends.values().stream().filter(TaskEnd.Returned.class::isInstance)).hasSize(3);
    assertThat(new ProcessScan(RunnerFixture.OWNER).scan().ofOthersThan(Set.of())).isEmpty();
    assertThat(on.pids).isEmpty();
  }

  /** So the agent of another build finds it, and ends it. */
  @Test
  void aWorkerIsMarkedAndNamedAsByTheBuildsBefore() throws Exception {
    PoolOnProcesses on = pool(1, 1);
    on.until(() -> on.pool.report().workers() == 1 && on.pids.containsKey(1));
    long pid = on.pids.get(1);

    assertThat(Files.readString(Path.of("/proc/" + pid + "/environ")).split("\0"))
        .contains(
            "STOKER_TREE=" + RunnerFixture.OWNER + "/pool:p:test-1",
            "STOKER_JOB_ID=pool:p:test",
            "STOKER_ATTEMPT=1");
    assertThat(fixture.data.resolve("runs/pool:p:test-1")).isDirectory();
    RunProcesses found = new ProcessScan(RunnerFixture.OWNER).scan();
    assertThat(found.of(new WorkerKey("p", "test", 1).name())).contains(pid);
  }

  @Test
  void theNextAgentKillsTheWorkersOfTheOneBefore() throws Exception {
    PoolOnProcesses on = pool(2, 2);
    on.until(() -> on.pool.report().workers() == 2);
    assertThat(new ProcessScan(RunnerFixture.OWNER).scan().ofOthersThan(Set.of())).hasSize(2);

    fixture.runner.close();
    fixture.startRunner();
    fixture.runner.killStrangers(Set.of(), Set.of());
    fixture.runner.lost(new io.stoker.agent.attempt.AttemptKey("a", 1));
    fixture.next(io.stoker.agent.attempt.Input.Exited.class);

    assertThat(new ProcessScan(RunnerFixture.OWNER).scan().ofOthersThan(Set.of())).isEmpty();
  }

  /** Workers die at any moment while there is work: nothing is lost, doubled or left behind. */
  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void countsExactlyWhileWorkersAreKilledAtRandom() throws Exception {
    PoolOnProcesses on = pool(1, 3);
    Random random = new Random(7);
    int next = 0;
    int kills = 0;
    long since = System.nanoTime();
    while (next < CHAOS || System.nanoTime() - since < CHAOS_SECONDS * 1_000_000_000L) {
      if (on.offer("t" + next, random.nextInt(10) == 0 ? "{\"what\":\"die\"}" : "{}")) {
        next++;
      } else {
        int before = on.ends.size();
        on.until(() -> on.ends.size() > before);
      }
      if (random.nextInt(8) == 0) {
        boolean killed =
            on.pids.values().stream()
                .skip(random.nextInt(1 + on.pids.size()))
                .findFirst()
                .flatMap(ProcessHandle::of)
                .map(ProcessHandle::destroyForcibly)
                .orElse(false);
        kills += killed ? 1 : 0;
      }
      if (on.pool.report().status() == PoolStatus.FAILED) {
        on.pool.open(on.now()); // so many kills before any was ready that it gave up
        on.carry();
      }
      on.tick();
    }
    while (!on.pool.report().idle()) {
      on.tick();
      int before = on.ends.size();
      on.until(() -> on.ends.size() > before || on.pool.report().idle());
    }

    PoolReport report = on.pool.report();
    System.out.printf(
        "WorkersTest: %d tasks in %.1f s, %d workers killed, %s%n",
        next, (System.nanoTime() - since) / 1e9, kills, report);
    Set<Task> all =
        IntStream.range(0, next).mapToObj(i -> task("t" + i)).collect(Collectors.toSet());
    assertThat(on.ends.keySet()).as("none is lost").isEqualTo(all);
    assertThat(report.queued()).isEqualTo(next);
    assertThat(report.processed()).isEqualTo(next);
    assertThat(report.delivered()).isEqualTo(next);
    assertThat(report.failed())
        .isEqualTo(on.ends.values().stream().filter(TaskEnd::failed).count())
        .isPositive();
    assertThat(report.crashes()).isEqualTo(on.crashes).isPositive();
    assertThat(List.of(report.busy(), report.waiting())).as("idle").containsExactly(0, 0);
    on.pool.close(Closing.DRAIN, on.now());
    on.carry();
    on.until(() -> on.pool.report().status() == PoolStatus.CLOSED);
    assertThat(new ProcessScan(RunnerFixture.OWNER).scan().ofOthersThan(Set.of())).isEmpty();
  }
}
