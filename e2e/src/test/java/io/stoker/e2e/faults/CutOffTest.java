package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.faults.Marks.Mark;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host is cut off from its broker while it runs 50 jobs, for longer than its lease. In the short
 * form leases are short; {@code -Psoak} cuts it off for minutes under the standard ones.
 */
@Timeout(3_600)
@BesideTheSharedStack
class CutOffTest {
  private static final int JOBS = 50;
  private static final Duration LEASE =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.lease-seconds", 6));
  private static final Duration OUTAGE =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.outage-seconds", 24));

  /** Longer than a busy machine may stand still: who kills in time would else be late. */
  private static final Duration MARGIN =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.margin-seconds", 15));

  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final String HOST = "host-1";

  @TempDir Path folder;

  private Marks marks;

  @Test
  void whereJobsRunOnAllOfThemAreReportedAfterwardsAndNoneWasKilled() throws Exception {
    try (StokerStack stack =
        start("cut-off-keeps", Map.of("STOKER_AGENT_PARTITION", "keep-running"))) {
      List<String> ids = run(stack);
      Child kafka = stack.processes().child("kafka");
      kafka.pause();
      long cutOff = bootMs();
      try {
        // Half of them end while nobody can be told, and the agent that has seen it dies, too.
        open("odd");
        await("half of them to end")
            .atMost(PATIENCE)
            .until(() -> count("end") == JOBS / 2 && ended(stack) == JOBS / 2);
        restartAgent(stack);
        await("the others to run for long")
            .atMost(OUTAGE.plus(PATIENCE))
            .until(() -> beatsSince(cutOff + OUTAGE.toMillis()) == JOBS / 2);
      } finally {
        kafka.resume();
      }
      long back = bootMs();
      await("the others to run on").atMost(PATIENCE).until(() -> beatsSince(back) == JOBS / 2);
      open("even");

      stack.statuses().awaitEnds(ids, PATIENCE);
      for (String id : ids) {
        RequestStatus end = stack.statuses().awaitEnd(id);
        assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
        assertThat(end.attempt()).as(id).isEqualTo(1);
        assertThat(marks.of(end.job()).stream().filter(mark -> mark.is("start"))).hasSize(1);
      }
      assertThat(marks.overlaps()).isEmpty();
    }
  }

  @Test
  void elseTheyAreKilledBeforeTheyBeginAgain() throws Exception {
    try (StokerStack stack = start("cut-off-kills", Map.of())) {
      List<String> ids = run(stack);
      Child kafka = stack.processes().child("kafka");
      kafka.pause();
      long cutOff = bootMs();
      long back;
      try {
        await("the jobs to be killed").atMost(PATIENCE).until(() -> alive(stack) == 0);
        assertThat(lastSign()).as("no later than agreed").isLessThan(cutOff + lost());
        await("a long outage")
            .atMost(OUTAGE.plus(PATIENCE))
            .until(() -> bootMs() > cutOff + OUTAGE.toMillis());
        back = bootMs();
      } finally {
        kafka.resume();
      }
      open("odd");
      open("even");

      stack.statuses().awaitEnds(ids, PATIENCE);
      for (String id : ids) {
        RequestStatus end = stack.statuses().awaitEnd(id);
        assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
        assertThat(end.attempt()).as(id).isGreaterThan(1);
        List<Mark> own = marks.of(end.job());
        long last = own.stream().filter(mark -> mark.attempt() == 1).toList().getLast().at();
        long again = own.stream().filter(mark -> mark.attempt() > 1).findFirst().orElseThrow().at();
        assertThat(last).as("the last sign of the first attempt of " + id).isLessThan(back);
        assertThat(again).as("the first of its next").isGreaterThanOrEqualTo(back);
      }
      assertThat(marks.overlaps()).isEmpty();
    }
  }

  /** When a dispatcher could give the jobs to others at the earliest, had it heard nothing. */
  private static long lost() {
    return LEASE.plus(MARGIN).toMillis();
  }

  private StokerStack start(String name, Map<String, String> environment) throws Exception {
    marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_CPU_SLOTS", Integer.toString(JOBS));
    agent.putAll(environment);
    return StokerStack.start(
        name,
        StackOptions.DEFAULT
            .withAgentEnvironment(agent)
            .withDispatcherEnvironment(
                Map.of(
                    "STOKER_LEASE_DURATION", LEASE.toSeconds() + "s",
                    "STOKER_LEASE_MARGIN", MARGIN.toSeconds() + "s",
                    "STOKER_LEASE_HEARTBEAT", "1s")));
  }

  /** Posts jobs that run until they are let go, and waits until all of them do. */
  private List<String> run(StokerStack stack) {
    List<String> ids = IntStream.range(0, JOBS).mapToObj(i -> "cut-off-" + i).toList();
    for (int i = 0; i < JOBS; i++) {
      String gate = folder.resolve(i % 2 == 0 ? "even" : "odd").toString();
      stack.post(
          Posted.script(
                  ids.get(i),
                  marks.noting()
                      + "note start; until [ -e '%s' ]; do sleep 0.5; note beat; done; note end # %d"
                          .formatted(gate, i))
              .with("retry", Map.of("hostLost", 50)));
    }
    for (String id : ids) {
      stack.statuses().await(id, RequestState.RUNNING);
    }
    await("all of them to have begun").atMost(PATIENCE).until(() -> count("start") == JOBS);
    return ids;
  }

  private void open(String gate) throws IOException {
    Files.createFile(folder.resolve(gate));
  }

  private void restartAgent(StokerStack stack) throws Exception {
    Child agent = stack.processes().child("agent-" + HOST);
    long killed = agent.pid().orElseThrow();
    agent.kill();
    agent.awaitAnother(killed, PATIENCE);
    Path log = agent.spec().log();
    Callable<Long> starts =
        () -> {
          try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("agent of host " + HOST)).count();
          }
        };
    await("the next agent, without a broker").atMost(PATIENCE).until(() -> starts.call() == 2);
  }

  private long count(String what) throws IOException {
    return marks.all().values().stream()
        .filter(own -> own.stream().anyMatch(mark -> mark.is(what)))
        .count();
  }

  /** Jobs that have shown since a time that they run. */
  private long beatsSince(long bootMs) throws IOException {
    return marks.all().values().stream()
        .filter(own -> own.stream().anyMatch(mark -> mark.is("beat") && mark.at() > bootMs))
        .count();
  }

  /** When a job last showed that it runs. */
  private long lastSign() throws IOException {
    return marks.all().values().stream().mapToLong(own -> own.getLast().at()).max().orElseThrow();
  }

  /** Jobs whose end is in the agent's journal. */
  private static long ended(StokerStack stack) throws IOException {
    Path journal = stack.data().agent(HOST).resolve("journal/log");
    try (var lines = Files.lines(journal)) {
      return lines.filter(line -> line.contains("\"is\":\"ended\"")).count();
    }
  }

  /** Jobs of which a process lives. */
  private long alive(StokerStack stack) throws IOException {
    return marks.all().entrySet().stream()
        .filter(
            job ->
                ProcessHandle.of(job.getValue().getLast().pid())
                    .filter(Traces::lives)
                    .filter(process -> Traces.isOfJob(process, job.getKey()))
                    .isPresent())
        .count();
  }

  private static long bootMs() throws IOException {
    String uptime = Files.readString(Path.of("/proc/uptime")).split(" ")[0];
    return new BigDecimal(uptime).movePointRight(3).longValue();
  }
}
