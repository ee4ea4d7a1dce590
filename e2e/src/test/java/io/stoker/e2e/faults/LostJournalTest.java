package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An agent is killed while its jobs run, and its journal is not what it was when the next one
 * starts: whatever the earlier one ran ends before it runs again. Each job leaves somebody behind
 * who has neither its session nor its environment; the lock that a run takes is held as long as
 * anybody of it lives.
 */
@Timeout(1_200)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@BesideTheSharedStack
@Order(4)
class LostJournalTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final String HOST = "host-1";

  @TempDir static Path folder;

  private static StokerStack stack;

  /** Done to a journal while no agent runs. */
  interface Harm {
    void to(Path journal) throws IOException;
  }

  /** What becomes of the journal. */
  enum Damage implements Harm {
    DELETED {
      @Override
      public void to(Path journal) throws IOException {
        try (Stream<Path> all = Files.walk(journal)) {
          for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(path);
          }
        }
      }
    },
    WITHOUT_ENTRIES {
      @Override
      public void to(Path journal) throws IOException {
        Files.delete(journal.resolve("log"));
      }
    },
    A_BIT_FLIPPED {
      @Override
      public void to(Path journal) throws IOException {
        byte[] log = Files.readAllBytes(journal.resolve("log"));
        log[20] ^= 4;
        Files.write(journal.resolve("log"), log);
      }
    },
    CUT_IN_THE_MIDDLE {
      @Override
      public void to(Path journal) throws IOException {
        byte[] log = Files.readAllBytes(journal.resolve("log"));
        Files.write(journal.resolve("log"), Arrays.copyOf(log, log.length / 2));
      }
    }
  }

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        new ProcessBuilder("flock", "--version").start().waitFor() == 0,
        "there is no flock (package util-linux)");
    stack = stack("lost-journal", "15s");
  }

  private static StokerStack stack(String name, String lease) throws Exception {
    return StokerStack.start(
        name,
        StackOptions.DEFAULT
            .withAgentEnvironment(new HashMap<>(StokerStack.WITHOUT_GPUS))
            .withDispatcherEnvironment(
                Map.of("STOKER_LEASE_DURATION", lease, "STOKER_LEASE_MARGIN", "3s")));
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
  }

  private static Path file(String id, String kind) {
    return folder.resolve(id + "." + kind);
  }

  /** Runs until its gate is open. */
  private static Posted job(String id) {
    return Posted.script(
        id,
        """
        exec 9>>%1$s.lock
        flock -n 9 || echo twice >>%1$s.marks
        setsid env -i sh -c 'echo $$ >>%1$s.orphans; exec sleep 1000' &
        until [ -s %1$s.orphans ]; do sleep 0.05; done
        echo begin $STOKER_ATTEMPT >>%1$s.marks
        until [ -e %1$s.gate ]; do sleep 0.05; done
        """
            .formatted(folder.resolve(id)));
  }

  private static List<String> marks(String id) throws IOException {
    Path marks = file(id, "marks");
    return Files.exists(marks) ? Files.readAllLines(marks) : List.of();
  }

  private static boolean orphansLive(String id) throws IOException {
    return Files.readAllLines(file(id, "orphans")).stream()
        .map(Long::valueOf)
        .map(ProcessHandle::of)
        .flatMap(Optional::stream)
        .anyMatch(Traces::lives);
  }

  private static void begin(String id) throws Exception {
    begin(stack, id);
  }

  private static void begin(StokerStack stack, String id) throws Exception {
    stack.post(job(id));
    await("job " + id + " to begin")
        .atMost(PATIENCE)
        .until(() -> marks(id).equals(List.of("begin 1")));
    stack.statuses().await(id, RequestState.RUNNING);
  }

  /** Stops the agent, does it, and has another agent started. */
  private static void whileNoAgentRuns(StokerStack stack, Harm harm) throws Exception {
    Child agent = stack.processes().child("agent-" + HOST);
    agent.pause();
    long before = agent.pid().orElseThrow();
    try {
      harm.to(stack.data().agent(HOST).resolve("journal"));
    } finally {
      agent.kill();
    }
    agent.awaitAnother(before, PATIENCE);
  }

  @ParameterizedTest
  @Execution(ExecutionMode.SAME_THREAD)
  @Order(1)
  @EnumSource
  void whatAnEarlierAgentRanEndsBeforeItRunsAgain(Damage damage) throws Exception {
    String id = "job-" + damage.name().toLowerCase(java.util.Locale.ROOT);
    begin(id);

    whileNoAgentRuns(stack, damage);

    await("the second attempt").atMost(PATIENCE).until(() -> marks(id).size() > 1);
    Files.createFile(file(id, "gate"));
    RequestStatus end = stack.statuses().awaitEnd(id);
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(marks(id)).containsExactly("begin 1", "begin 2");
    assertThat(orphansLive(id)).isFalse();
  }

  /** On a stack of its own: its job must not lose its lease to an agent that is slow to start. */
  @Test
  void aTornEndLosesNothing() throws Exception {
    try (StokerStack patient = stack("torn-journal", "10m")) {
      begin(patient, "job-torn");

      whileNoAgentRuns(
          patient,
          journal ->
              Files.writeString(
                  journal.resolve("log"), "0badc0de {\"type\":\"offs", StandardOpenOption.APPEND));

      Files.createFile(file("job-torn", "gate"));
      RequestStatus end = patient.statuses().awaitEnd("job-torn");
      assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.attempt()).isEqualTo(1);
      assertThat(marks("job-torn")).containsExactly("begin 1");
      assertThat(orphansLive("job-torn")).isFalse();
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  @Order(2)
  void aCancelledJobLeavesNobody() throws Exception {
    begin("job-cancelled");
    assertThat(orphansLive("job-cancelled")).isTrue();
    ControlMessage message =
        new ControlMessage.Cancel("cancel-it", "job-cancelled", "changed my mind");
    stack
        .producer()
        .send(new ProducerRecord<>(stack.topics().control(), "job-cancelled", Json.bytes(message)));
    stack.producer().flush();
    assertThat(stack.statuses().awaitEnd("job-cancelled").state())
        .isEqualTo(RequestState.CANCELLED);
    assertThat(orphansLive("job-cancelled")).isFalse();
  }

  /** The last one: there is no stack after it. */
  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  @Order(3)
  void theEndOfTheStackLeavesNobody() throws Exception {
    begin("job-stopped");
    assertThat(orphansLive("job-stopped")).isTrue();
    stack.close();
    stack = null;
    assertThat(orphansLive("job-stopped")).isFalse();
  }
}
