package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.local.Role;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.faults.Marks.Mark;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** An experiment under way while whoever schedules it is killed, twice. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class SweepFaultsTest {
  private static final String GROUP = "sweep-faults";
  private static final int CONFIGURATIONS = 24;
  private static final int PARALLEL = 4;

  /** Until partitions are read again whose reader was killed, that may take a while. */
  private static final Duration PATIENCE = StatusLog.PATIENCE.multipliedBy(3);

  /** So many wait for the same kill. */
  private static final int WAVE = 8;

  /** After so many ends the first kill comes, and later the second. */
  private static final int FIRST = 5;

  private static final int SECOND = 12;

  /**
   * From the ninth on they wait for the first kill, from the seventeenth on for the second. Number
   * 13 fails, 5, 12 and 20 give bad results until they are stopped; the others give equal ones, so
   * that none of them is worse than another, and end with their number as score, not so soon that
   * those placed together would not meet.
   */
  private static final String JOB =
      """
      i=$1; trap 'note end; exit 143' TERM
      note start
      if [ "$i" -gt 8 ]; then until [ -e '%1$s' ]; do sleep 0.05; done; fi
      if [ "$i" -gt 16 ]; then until [ -e '%2$s' ]; do sleep 0.05; done; fi
      case $i in
        13) note end; exit 3 ;;
        5|12|20) n=0; while [ $n -lt 2000 ]; do echo '#stoker:result 0'; sleep 0.2; n=$((n+1)); done ;;
        *) n=0; while [ $n -lt 100 ]; do echo '#stoker:result 0.5'; n=$((n+1)); done
           echo "$i" > "$STOKER_RESULT"; sleep 0.3 ;;
      esac
      note end
      """;

  @TempDir Path folder;

  private final StokerStack stack;
  private final List<String> ids =
      IntStream.rangeClosed(1, CONFIGURATIONS).mapToObj(i -> GROUP + "-" + i).toList();
  private Marks marks;

  SweepFaultsTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void bestAndCountsAreRightAndNothingRunsTwice() throws Exception {
    marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    begin();

    killTheScheduler(FIRST, "first");
    killTheScheduler(SECOND, "second");
    stack.statuses().awaitEnds(ids, PATIENCE);
    for (Child dispatcher : stack.processes().children(Role.DISPATCHER)) {
      stack.processes().awaitServing(dispatcher, StatusLog.PATIENCE);
    }

    // Of who was killed an older status may stay the last one for a moment.
    await("the last statuses to be the newest")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(ends())
                    .isEqualTo(Map.of("SUCCEEDED", 20, "APP_FAILURE", 1, "EARLY_STOPPED", 3)));
    assertEndedStates();
    JsonNode experiment = group().path("experiment");
    assertThat(experiment.path("state").asText()).isEqualTo("FINISHED");
    assertThat(experiment.at("/best/id").asText()).isEqualTo(GROUP + "-24");
    assertThat(experiment.at("/best/score").asDouble()).isEqualTo(24);
    assertEachBeganOnce();
    assertThat(mostTogether()).isBetween(2, PARALLEL);
    await("nothing of it to be open")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(open()).isEmpty());
    assertThat(Traces.processesNaming(folder)).isEmpty();
  }

  private void begin() throws IOException {
    Path script =
        Files.writeString(
            folder.resolve("job.sh"),
            marks.noting()
                + "\n"
                + JOB.formatted(folder.resolve("first"), folder.resolve("second")));
    ObjectNode plan =
        (ObjectNode)
            Json.tree(
                Map.of(
                    "experiment",
                    Map.of(
                        "parallel",
                        PARALLEL,
                        "failure",
                        "ignore",
                        "earlyStopping",
                        Map.of("policy", "median"))));
    try (RestClient rest = stack.rest()) {
      Groups groups = new Groups(rest);
      assertThat(groups.create(GROUP, plan)).isEqualTo(GROUP);
      for (int first = 0; first < CONFIGURATIONS; first += WAVE) {
        List<String> wave = ids.subList(first, first + WAVE);
        for (int i = 0; i < WAVE; i++) {
          String number = Integer.toString(first + i + 1);
          stack.post(
              Posted.bare(wave.get(i))
                  .with("command", List.of("sh", script.toString(), number))
                  .with("group", GROUP));
        }
        // Else partitions would mix them: what waits for a kill must not run before what leads to
        // it.
        await("those up to " + (first + WAVE) + " to be known")
            .atMost(StatusLog.PATIENCE)
            .until(() -> stack.statuses().newest().keySet().containsAll(wave));
      }
      groups.close(GROUP);
    }
  }

  /**
   * Once so many have ended. What waits for the gate goes on while nobody schedules, and while the
   * other dispatcher takes over.
   */
  private void killTheScheduler(int ended, String gate) throws Exception {
    await(ended + " to have ended").atMost(StatusLog.PATIENCE).until(() -> ended().size() >= ended);
    assertThat(ended()).hasSizeLessThan(CONFIGURATIONS);
    // A UUID follows the name of who schedules.
    String scheduler =
        stack.database().one("select scheduler from fleet where name = ?", "default");
    Child dispatcher = stack.processes().child(scheduler.substring(0, scheduler.length() - 37));
    long killed = dispatcher.pid().orElseThrow();
    dispatcher.kill();
    Files.createFile(folder.resolve(gate));
    dispatcher.awaitAnother(killed, StatusLog.PATIENCE);
    stack.processes().awaitServing(dispatcher, StatusLog.PATIENCE);
  }

  private List<RequestStatus> ended() {
    Map<String, RequestStatus> newest = stack.statuses().newest();
    return ids.stream()
        .map(newest::get)
        .filter(last -> last != null && StatusLog.ENDS.contains(last.state()))
        .toList();
  }

  private Map<String, Integer> ends() {
    Map<String, Integer> ends = new TreeMap<>();
    ended()
        .forEach(
            last ->
                ends.merge(
                    last.code() == null ? last.state().name() : last.code().name(),
                    1,
                    Integer::sum));
    return ends;
  }

  private void assertEndedStates() {
    assertThat(stack.statuses().awaitEnd(GROUP + "-13").code()).isEqualTo(Code.APP_FAILURE);
    for (int bad : List.of(5, 12, 20)) {
      assertThat(stack.statuses().awaitEnd(GROUP + "-" + bad).state())
          .isEqualTo(RequestState.CANCELLED);
    }
  }

  private JsonNode group() {
    try (RestClient rest = stack.rest()) {
      Groups groups = new Groups(rest);
      await("the experiment to have ended")
          .atMost(StatusLog.PATIENCE)
          .until(
              () ->
                  !groups
                      .find(GROUP)
                      .orElseThrow()
                      .at("/experiment/state")
                      .asText()
                      .equals("RUNNING"));
      return groups.find(GROUP).orElseThrow();
    }
  }

  private void assertEachBeganOnce() throws IOException {
    Map<String, List<Mark>> all = marks.all();
    assertThat(all).hasSize(CONFIGURATIONS);
    all.forEach(
        (job, own) -> assertThat(own.stream().filter(mark -> mark.is("start"))).as(job).hasSize(1));
  }

  /** The most that ran at one time; of equal times an end comes first. */
  private int mostTogether() throws IOException {
    record Change(long at, int by) {}
    List<Change> changes = new ArrayList<>();
    for (List<Mark> own : marks.all().values()) {
      own.forEach(mark -> changes.add(new Change(mark.at(), mark.is("start") ? 1 : -1)));
    }
    changes.sort(Comparator.comparingLong(Change::at).thenComparingInt(Change::by));
    int running = 0;
    int most = 0;
    for (Change change : changes) {
      running += change.by();
      most = Math.max(most, running);
    }
    return most;
  }

  /** Jobs of it with an attempt that is not closed, or in line. */
  private List<String> open() throws SQLException {
    Set<String> jobs = Set.copyOf(ended().stream().map(RequestStatus::job).toList());
    List<String> open = new ArrayList<>(stack.database().column("select job from attempt"));
    open.addAll(stack.database().column("select job from ready"));
    return open.stream().filter(jobs::contains).toList();
  }
}
