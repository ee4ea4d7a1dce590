package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.faults.Churn.Expected;
import io.stoker.e2e.faults.Marks.Mark;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.EventLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs share four simulated GPUs, crash, run out of memory and leave daemons behind, while their
 * agent is killed again and again. The short form runs with the suite; {@code -Psoak} runs 200
 * jobs. {@code -Dstoker.soak.seed=N} runs the same jobs again.
 */
@Timeout(3_600)
@BesideTheSharedStack
class ChurnTest {
  private static final int JOBS = Integer.getInteger("stoker.soak.churn-jobs", 24);
  private static final long SEED = Long.getLong("stoker.soak.seed", System.nanoTime());
  private static final Duration PATIENCE = Duration.ofSeconds(1_800);
  private static final Duration START = StatusLog.PATIENCE;
  private static final String HOST = "host-1";
  private static final int GPUS = 4;

  /** Posted between kills, so that each kill but the last meets jobs on any machine. */
  private static final int PARTS = 3;

  private static final long MEMORY = 16L << 30;

  /** How long a dead process's memory stays in use, as on a real device. */
  private static final String ZOMBIE_MS = "300";

  @TempDir static Path folder;

  private final Random random = new Random(SEED);

  @Test
  void nothingIsOvercommittedLeftBehindOrLost() throws Exception {
    System.out.printf("ChurnTest: %d jobs, -Dstoker.soak.seed=%d%n", JOBS, SEED);
    Marks marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    try (StokerStack stack =
            StokerStack.start(
                "churn",
                StackOptions.DEFAULT
                    .withGpus(GPUS)
                    .withAgentEnvironment(Map.of("STOKER_AGENT_GRACE", "1s"))
                    .withDispatcherEnvironment(
                        Map.of(
                            "STOKER_RETRY_BACKOFF_FIRST", "100ms",
                            "STOKER_RETRY_BACKOFF_MOST", "1s",
                            "STOKER_PLACEMENT_RESERVE_AFTER", "5s",
                            // What they say is what they take, and no two that look alike are.
                            "STOKER_MEMORY_LEARN", "false")));
        EventLog events = stack.events()) {
      Path gpus = stack.data().simulatedGpus(HOST);
      Files.writeString(gpus.resolve("dead_lag_ms"), ZOMBIE_MS);
      Churn churn = new Churn(marks, gpus, Files.createDirectory(folder.resolve("own")), random);

      List<Posted> jobs = churn.jobs(JOBS);

      int kills = killAgentsUntilAllHasEnded(stack, marks, jobs, churn.expected().keySet());

      assertThat(kills).as("starts of agents that were killed").isGreaterThanOrEqualTo(2);
      assertEnds(stack, churn.expected());
      assertMemory(marks);
      assertThat(marks.overlaps()).isEmpty();
      await("the ends of all attempts that have begun")
          .atMost(StatusLog.PATIENCE)
          .untilAsserted(() -> assertAttempts(stack, marks, events, churn.expected()));
      assertAllIsFree(stack, gpus);
    }
  }

  /**
   * Posts some of the jobs before each of the first kills, and kills on until all have ended.
   *
   * @return how many agents were killed that had come up
   */
  private int killAgentsUntilAllHasEnded(
      StokerStack stack, Marks marks, List<Posted> jobs, Set<String> requests) throws Exception {
    Child agent = stack.processes().child("agent-" + HOST);
    CountDownLatch ended = new CountDownLatch(1);
    Survivors survivors = new Survivors(stack, marks, requests);
    Thread watching =
        Thread.ofPlatform().daemon().start(() -> survivors.watch(PATIENCE, ended::countDown));
    Deque<Posted> later = new ArrayDeque<>(jobs);
    post(stack, later, jobs.size() / PARTS);
    int kills = 0;
    int leftBefore = jobs.size();
    int slowness = 1;
    while (!ended.await(slowness * (1_000 + random.nextInt(2_500)), TimeUnit.MILLISECONDS)) {
      // On a machine so slow that an agent dies before it has ended any, the next one lives longer.
      slowness = survivors.left() < leftBefore ? 1 : Math.min(2 * slowness, 32);
      leftBefore = survivors.left();
      long before = epoch(stack);
      agent.kill();
      agent.stop(); // it is gone by now: its supervisor's patience need not be tried
      agent.start();
      await("the next agent").atMost(START).until(() -> epoch(stack) > before);
      post(stack, later, jobs.size() / PARTS);
      kills++;
    }
    watching.join();
    survivors.assertNone();
    return kills;
  }

  private static void post(StokerStack stack, Deque<Posted> later, int atMost) {
    for (int i = 0; i < atMost && !later.isEmpty(); i++) {
      stack.post(later.remove());
    }
  }

  private static long epoch(StokerStack stack) throws SQLException {
    return Long.parseLong(stack.database().one("select epoch from host where id = ?", HOST));
  }

  private static void assertEnds(StokerStack stack, Map<String, Expected> expected) {
    Map<String, RequestStatus> newest = stack.statuses().newest();
    List<String> wrong = new ArrayList<>();
    expected.forEach(
        (id, end) -> {
          RequestStatus last = newest.get(id);
          boolean right =
              last.state() == end.state()
                  && (end.state() == RequestState.SUCCEEDED || last.code() == end.code());
          if (!right) {
            wrong.add("%s must end as %s: %s".formatted(id, end, last));
          }
        });
    assertThat(wrong).isEmpty();
    stack
        .statuses()
        .awaitLasts(
            lasts ->
                expected.keySet().stream().allMatch(id -> newest.get(id).equals(lasts.get(id))),
            "the newest of each to be its last");
  }

  /** What was taken of a GPU each time that something was, and that they were really shared. */
  private static void assertMemory(Marks marks) throws Exception {
    List<Long> taken =
        marks.all().values().stream()
            .flatMap(List::stream)
            .map(Mark::what)
            .filter(what -> what.startsWith("took:"))
            .map(what -> Long.parseLong(what.substring("took:".length())))
            .toList();
    assertThat(taken).as("bytes of one GPU").allMatch(bytes -> bytes <= MEMORY);
    assertThat(taken).as("GPUs are shared").anyMatch(bytes -> bytes > MEMORY / 2);
  }

  /**
   * Each job has begun as often as its own doing asks for, so no attempt was lost to the death of
   * an agent; and of each that has begun the one end was told.
   */
  private static void assertAttempts(
      StokerStack stack, Marks marks, EventLog events, Map<String, Expected> expected)
      throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Expected> one : expected.entrySet()) {
      String job = stack.statuses().newest().get(one.getKey()).job();
      List<Mark> own = marks.of(job);
      Set<Integer> begun = own.stream().map(Mark::attempt).collect(Collectors.toSet());
      if (begun.size() != one.getValue().starts()) {
        wrong.add("%s, %s, has begun as %s".formatted(one.getKey(), one.getValue(), begun));
      }
      for (int attempt : begun) {
        Set<String> ends = new HashSet<>(events.ends(job, attempt));
        if (ends.size() != 1) {
          wrong.add("attempt %d of %s was told to end %s".formatted(attempt, one.getKey(), ends));
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void assertAllIsFree(StokerStack stack, Path gpus) throws Exception {
    stack.post(Posted.script("all-gpus", "true").with("resources", Map.of("gpus", GPUS)));
    assertThat(stack.statuses().awaitEnd("all-gpus").state()).isEqualTo(RequestState.SUCCEEDED);
    await("nothing open, nothing in line")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(stack.database().column("select job from attempt")).isEmpty();
              assertThat(stack.database().column("select job from ready")).isEmpty();
            });
    for (int i = 0; i < GPUS; i++) {
      Path processes = gpus.resolve("gpu" + i).resolve("processes");
      await("GPU " + i + " to be free")
          .atMost(StatusLog.PATIENCE)
          .untilAsserted(() -> assertThat(processes).isEmptyDirectory());
    }
    assertThat(Traces.processesNaming(folder)).as("jobs name the test's folder").isEmpty();
  }
}
