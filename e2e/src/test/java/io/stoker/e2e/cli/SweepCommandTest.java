package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.cli.Stoker.Running;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoker sweep} on a stack of real processes. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class SweepCommandTest {
  /**
   * Says how many run beside it; then number 13 fails, 5, 12 and 20 give bad results until they are
   * stopped, and the others end with their number as score. Their intermediate results are equal,
   * so that none of them is worse than another.
   */
  private static final String JOB =
      """
      i=$1; cd "$2" || exit 9
      trap 'rm -f "running/$i"; exit 143' TERM
      touch "running/$i"
      ls running | wc -l >> together
      case $i in
        13) rm "running/$i"; exit 3 ;;
        5|12|20) n=0; while [ $n -lt 1500 ]; do echo '#stoker:result 0'; sleep 0.2; n=$((n+1)); done ;;
        *) n=0; while [ $n -lt 100 ]; do echo '#stoker:result 0.5'; n=$((n+1)); done
           echo "$i" > "$STOKER_RESULT" ;;
      esac
      rm -f "running/$i"
      """;

  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  SweepCommandTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() throws IOException {
    stoker = new Stoker(stack.data().root(), folder);
    Files.createDirectory(folder.resolve("running"));
    Files.writeString(folder.resolve("job.sh"), JOB);
  }

  @Test
  void findsTheBestOf24FourAtATimeAndStopsTheBadEarly() throws Exception {
    Ended ended = stoker.run("sweep", sweep("sweep-ignore", "ignore"), "--json");

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<JsonNode> lines = lines(ended.out());
    JsonNode group = lines.getLast();
    assertThat(lines).hasSize(25);
    assertThat(counts(lines)).isEqualTo(Map.of("SUCCEEDED", 20, "FAILED", 1, "EARLY_STOPPED", 3));
    assertThat(group.at("/experiment/state").asText()).isEqualTo("FINISHED");
    assertThat(group.at("/experiment/best/id").asText()).isEqualTo("sweep-ignore-24");
    assertThat(group.at("/experiment/best/score").asDouble()).isEqualTo(24);
    assertThat(mostTogether()).isBetween(1, 4);
    assertThat(ended.err())
        .contains("sweep-ignore is FINISHED: 20 of 24 succeeded, 1 failed, 3 cancelled");
    String page = report("sweep-ignore", "html");
    assertThat(page).contains("24 total, 20 successful, 1 failed, 3 cancelled, 00:0");
    assertThat(page).contains("highest score by sweep-ignore-24").contains("<svg");
    assertThat(report("sweep-ignore", "csv").lines()).hasSize(25);
    assertThat(Json.read(report("sweep-ignore", "json")).get("best").asText())
        .isEqualTo("sweep-ignore-24");
  }

  @Test
  void theFirstFailureEndsItAndTheCountsAreRight() throws Exception {
    Ended ended = stoker.run("sweep", sweep("sweep-stop", "stop"), "--json");

    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
    List<JsonNode> lines = lines(ended.out());
    JsonNode group = lines.getLast();
    Map<String, Integer> counts = counts(lines);
    int best =
        lines.stream()
            .filter(line -> line.path("state").asText().equals("SUCCEEDED"))
            .mapToInt(line -> line.path("score").asInt())
            .max()
            .orElse(0);
    assertThat(counts.get("FAILED")).isEqualTo(1);
    assertThat(counts.values().stream().mapToInt(n -> n).sum()).isEqualTo(24);
    assertThat(group.at("/experiment/state").asText()).isEqualTo("FAILED");
    assertThat(group.at("/experiment/best/score").asInt(0)).isEqualTo(best);
    assertThat(group.path("succeeded").asInt()).isEqualTo(counts.getOrDefault("SUCCEEDED", 0));
    assertThat(mostTogether()).isBetween(1, 4);
    assertThat(report("sweep-stop", "html"))
        .contains("24 total, %d successful, 1 failed, ".formatted(group.path("succeeded").asInt()));
  }

  @Test
  void ctrlCEndsAllOfItSilentAndStubbornOnesToo() throws Exception {
    Path file = folder.resolve("endless.yaml");
    Files.writeString(
        file,
        """
        name: sweep-endless
        parallel: 3
        request: {command: [sh, -c, "trap '' TERM; touch %s/${params.i}; while :; do sleep 1; done"]}
        grid: {i: [1, 2, 3, 4, 5, 6, 7, 8]}
        """
            .formatted(folder.resolve("running")));
    Running running = stoker.start("", "sweep", file.toString());
    await("as many to run as may")
        .atMost(StatusLog.PATIENCE)
        .until(() -> folder.resolve("running").toFile().list().length == 3);
    assertThat(Traces.processesNaming(folder.resolve("running"))).isNotEmpty();

    // The launcher hands its process over to the command.
    running.process().destroy();
    Ended ended = running.await();

    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
    assertThat(ended.err())
        .contains("Ctrl-C again leaves at once")
        .contains("sweep-endless is STOPPED: 0 of 8 succeeded, 0 failed, 8 cancelled");
    assertThat(folder.resolve("running").toFile().list()).hasSize(3);
    assertThat(Traces.processesNaming(folder.resolve("running"))).isEmpty();
    assertThat(stopped("sweep-endless", 8)).isLessThanOrEqualTo(StokerStack.GRACE.plusSeconds(90));
  }

  /** From the first sign of a stop that was told of any of a group's requests to its last end. */
  private Duration stopped(String group, int count) {
    List<Instant> asked = new ArrayList<>();
    List<Instant> ends = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      String id = group + "-" + i;
      ends.add(Instant.parse(stack.statuses().awaitEnd(id).at()));
      stack.statuses().seen(id).stream()
          .filter(status -> status.stopRequested() || StatusLog.ENDS.contains(status.state()))
          .map(status -> Instant.parse(status.at()))
          .forEach(asked::add);
    }
    return Duration.between(Collections.min(asked), Collections.max(ends));
  }

  @Test
  void theIrisSweepOfTheExamplesFindsAGoodClassifier() throws Exception {
    Path iris = Checkout.examples().resolve("iris");
    Ended features =
        stoker.runWithInput(filled(iris.resolve("sweep-features.json")), "submit", "-", "--wait");
    assertThat(features.exitCode()).as(features.err()).isZero();

    Ended ended = stoker.runWithInput(filled(iris.resolve("sweep.yaml")), "sweep", "-", "--json");

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    JsonNode group = lines(ended.out()).getLast();
    assertThat(group.path("total").asInt()).isEqualTo(12);
    assertThat(group.path("failed").asInt()).isZero();
    assertThat(group.at("/experiment/state").asText()).isEqualTo("FINISHED");
    assertThat(group.at("/experiment/best/score").asDouble()).isBetween(0.94, 1.0);
    Ended again = stoker.run("group", "iris-sweep", "--rerun-best");
    assertThat(again.exitCode()).as(again.err()).isZero();
    assertThat(stoker.run("wait", again.out().strip()).exitCode()).isZero();
  }

  private static String filled(Path example) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return Files.readString(example)
        .replace("${java}", java)
        .replace("${examples}", Checkout.examples().toString());
  }

  private String sweep(String name, String failure) throws IOException {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(
        file,
        """
        failure: %s
        parallel: 4
        earlyStopping: {policy: median}
        request:
          command: [sh, %s, "${params.i}", %s]
        grid:
          i: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]
        """
            .formatted(failure, folder.resolve("job.sh"), folder));
    return file.toString();
  }

  private String report(String group, String kind) throws Exception {
    Path file = folder.resolve("report." + kind);
    Ended ended = stoker.run("group", group, "--report", file.toString());
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return Files.readString(file);
  }

  /** The most jobs that have seen each other run. */
  private int mostTogether() throws IOException {
    return Files.readAllLines(folder.resolve("together")).stream()
        .mapToInt(line -> Integer.parseInt(line.strip()))
        .max()
        .orElse(0);
  }

  private static Map<String, Integer> counts(List<JsonNode> lines) {
    Map<String, Integer> counts = new TreeMap<>();
    lines.stream()
        .filter(line -> line.has("id"))
        .map(
            line ->
                line.path("code").asText().equals("EARLY_STOPPED")
                    ? "EARLY_STOPPED"
                    : line.path("state").asText())
        .forEach(state -> counts.merge(state, 1, Integer::sum));
    return counts;
  }

  private static List<JsonNode> lines(String out) throws Exception {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.lines().toList()) {
      lines.add(Json.read(line));
    }
    return lines;
  }
}
