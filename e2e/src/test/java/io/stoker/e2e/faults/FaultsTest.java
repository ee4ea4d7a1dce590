package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Never twice, never lost: every process of a stack is killed, and an agent stopped past its lease,
 * while jobs are under way. The short form runs with the suite, 96 jobs and some 20 dependents;
 * {@code -Psoak} runs 2,000 jobs and more than 200 dependents.
 */
@Timeout(3_600)
@BesideTheSharedStack
class FaultsTest {
  /** Jobs of each wave; there are eight waves, one a fault. */
  private static final int JOBS_A_WAVE = Integer.getInteger("stoker.soak.jobs-a-wave", 12);

  private static final Duration PATIENCE =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.patience-seconds", 300));

  @TempDir static Path folder;

  /** Does something to a stack, and returns once it serves again. */
  private interface Fault {
    void strike() throws Exception;
  }

  @Test
  void everyRequestEndsOnceWhateverDies() throws Exception {
    Marks marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    Load load = new Load(marks, JOBS_A_WAVE);
    try (StokerStack stack =
        StokerStack.start(
            "faults",
            StokerStack.twoOfEach()
                .withDispatcherEnvironment(
                    Map.of(
                        "STOKER_LEASE_DURATION", "6s",
                        "STOKER_LEASE_MARGIN", "2s",
                        "STOKER_LEASE_HEARTBEAT", "1s",
                        "STOKER_LEASE_INVENTORY", "5s")))) {
      Faults faults = new Faults(stack);
      List<Fault> all =
          List.of(
              () -> faults.kill("dispatcher-1"),
              () -> faults.killAgent("host-1"),
              () -> faults.kill("kafka"),
              () -> faults.kill("postgres"),
              faults::flushRedis,
              () -> faults.kill("redis"),
              () -> faults.pauseUntilLost("host-1"),
              () -> faults.kill("dispatcher-2"));
      int number = 0;
      for (Fault fault : all) {
        underWay(stack, load.wave(number++));
        fault.strike();
      }
      stack.statuses().awaitEnds(load.expected().keySet(), PATIENCE);

      assertEnds(stack, load.expected());
      assertAttemptsRise(stack, load.expected().keySet());
      assertThat(marks.overlaps()).isEmpty();
      Aftermath.assertAllIsFree(stack, PATIENCE);
      assertLastsAreNewest(stack);
    }
  }

  /** Posts a wave and waits until something of it runs, or has run: it may not be met running. */
  private static void underWay(StokerStack stack, List<Posted> wave) {
    stack.post(wave.toArray(new Posted[0]));
    Set<String> ids = wave.stream().map(Posted::id).collect(Collectors.toSet());
    stack
        .statuses()
        .awaitLasts(
            lasts ->
                ids.stream()
                    .map(lasts::get)
                    .anyMatch(
                        status ->
                            status != null
                                && (status.state() == RequestState.RUNNING
                                    || StatusLog.ENDS.contains(status.state()))),
            "none of a wave runs");
  }

  /** Each in the state that it must end in, first to last: a terminal state never changes. */
  private static void assertEnds(StokerStack stack, Map<String, RequestState> expected) {
    List<String> wrong = new ArrayList<>();
    expected.forEach(
        (id, state) -> {
          Set<RequestState> ends =
              stack.statuses().history(id).stream()
                  .map(entry -> entry.status().state())
                  .filter(StatusLog.ENDS::contains)
                  .collect(Collectors.toSet());
          RequestStatus last = stack.statuses().seen(id).getLast();
          if (!ends.equals(Set.of(state)) || last.state() != state) {
            wrong.add("%s must end %s, ended %s: %s".formatted(id, state, ends, last));
          }
        });
    assertThat(wrong).isEmpty();
  }

  private static void assertAttemptsRise(StokerStack stack, Set<String> ids) {
    for (String id : ids) {
      List<Integer> attempts =
          stack.statuses().seen(id).stream()
              .map(RequestStatus::attempt)
              .filter(attempt -> attempt != null)
              .toList();
      assertThat(attempts).as("attempts of " + id).isSorted();
    }
  }

  /** What compaction leaves of each request is what the database holds. */
  private static void assertLastsAreNewest(StokerStack stack) throws SQLException {
    Map<String, Long> newest = stack.database().versions();
    stack
        .statuses()
        .awaitLasts(lasts -> versions(lasts).equals(newest), "the last records are not the newest");
  }

  private static Map<String, Long> versions(Map<String, RequestStatus> lasts) {
    Map<String, Long> versions = new HashMap<>();
    lasts.forEach((id, status) -> versions.put(id, status.version()));
    return versions;
  }
}
