package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.ToldBefore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a run writes, it takes a bounded part of its agent. */
class FloodedOutputTest {
  private static final int LINES = 100_000;
  private static final int MOST_AT_THE_END = MarkerLines.RESULTS_AT_ONCE * 3;

  @TempDir Path data;

  private static byte[] lines(String word, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      text.append("#stoker:").append(word).append(' ').append(i).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void ofManyResultsSomeAreToldAndTheLastOneCounts() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "flood", ToldBefore.NOTHING)) {
      run.stdout(lines("result", LINES));
      run.look();
      RunEnd end = run.end(0);

      assertThat(end.result().orElseThrow().intValue()).isEqualTo(LINES);
      assertThat(run.results()).hasSizeBetween(MarkerLines.RESULTS_AT_ONCE, MOST_AT_THE_END);
      assertThat(run.results().getFirst().result().intValue()).isEqualTo(1);
      assertThat(run.results().getLast().result().intValue()).isEqualTo(LINES);
      assertThat(run.results()).extracting(Input.Result::until).isSorted();
    }
  }

  @Test
  void ofMuchProgressTheNewestIsTold() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "flood", ToldBefore.NOTHING)) {
      run.stdout(lines("progress", LINES));
      run.end(0);

      assertThat(run.said).hasSizeLessThan(100);
      assertThat(run.said.getLast())
          .isInstanceOfSatisfying(
              Input.Progress.class,
              last -> assertThat(last.progress().intValue()).isEqualTo(LINES));
    }
  }

  /** Stage lines are all told, since each may be the answer to a command. */
  @Test
  void whoReadsWaitsForTheAgent() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "flood", ToldBefore.NOTHING)) {
      String line = "#stoker:stage {\"n\":1,\"is\":\"done\"}\n";
      run.stdout(line.repeat(LINES).getBytes(StandardCharsets.US_ASCII));
      run.busy();
      run.look();
      run.look();
      int most = run.mostUndone();
      assertThat(most).isLessThan(64 * 1024 / line.length() + SaidByRun.MOST / line.length());
      assertThat(run.said).hasSize(most);
      run.idle();

      run.end(0);

      assertThat(run.said).hasSize(LINES);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aLineOfAnyLengthIsALine(int over) throws IOException {
    try (WrittenRun run = new WrittenRun(data, "long", ToldBefore.NOTHING)) {
      run.stdout("#stoker:result 1\n#stoker:result \"".getBytes(StandardCharsets.US_ASCII));
      byte[] long256k = "x".repeat(MarkerLines.MAX_RESULT - 2 + over).getBytes();
      run.stdout(long256k);
      run.stdout("\"\n".getBytes(StandardCharsets.US_ASCII));
      run.look();
      RunEnd end = run.end(0);

      assertThat(end.result().isPresent()).isEqualTo(over <= 0);
      assertThat(end.resultProblem().isPresent()).isEqualTo(over > 0);
    }
  }

  @Test
  void aLineWithoutEndTakesNoMoreThanTheLargestResult() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "long", ToldBefore.NOTHING)) {
      run.stdout("#stoker:result ".getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < 32; i++) {
        run.stdout(new byte[1 << 20]);
        run.look();
      }
      assertThat(run.end(0).resultProblem())
          .hasValueSatisfying(w -> assertThat(w).contains("larger"));
    }
  }

  @Test
  void anotherAgentTellsAgainWhatMayBeLostHoweverMuchWasWritten() throws IOException {
    byte[] all = lines("result", LINES);
    long toldUntil = end(all, 50_000);
    Set<Long> owed = Set.of(end(all, 20_000), end(all, 49_999), toldUntil);
    try (WrittenRun run = new WrittenRun(data, "again", new ToldBefore(toldUntil, owed))) {
      run.stdout(all);
      run.look();
      run.end(0);

      assertThat(run.results().subList(0, 4))
          .extracting(told -> told.result().intValue())
          .containsExactly(20_000, 49_999, 50_000, 50_001);
      assertThat(run.results()).hasSizeLessThan(MOST_AT_THE_END);
    }
  }

  private static long end(byte[] all, int line) {
    int seen = 0;
    for (int i = 0; i < all.length; i++) {
      if (all[i] == '\n' && ++seen == line) {
        return i + 1;
      }
    }
    throw new AssertionError();
  }

  @Test
  void aResultFileThatCannotBeReadIsNoReasonToTellNoEnd() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "folder", ToldBefore.NOTHING)) {
      Files.createDirectories(run.resultFile().resolve("in-it"));
      assertThat(run.end(0).resultProblem()).isPresent();
    }
  }

  @Test
  void anOutputThatCannotBeReadIsNoReasonToTellNoEnd() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "unreadable", ToldBefore.NOTHING)) {
      Files.createDirectories(run.resultFile().resolveSibling("stdout"));
      assertThat(run.end(3).exitCode()).hasValue(3);
    }
  }

  /** As one is for whom no file descriptor is left. */
  @Test
  void anOutputThatCannotBeReadForAMomentIsReadOnWithNothingLost() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "moment", ToldBefore.NOTHING)) {
      run.stdout(lines("result", 1));
      run.look();
      Path moved = putAway(run.stdoutFile());
      run.stdout(lines("result", 2));
      run.look();
      putBack(moved, run.stdoutFile());

      assertThat(run.end(0).result().orElseThrow().intValue()).isEqualTo(2);
      assertThat(run.results()).hasSize(3);
    }
  }

  @Test
  void anOutputThatCannotBeReadWhenItsRunEndsIsWaitedFor() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "wait", ToldBefore.NOTHING)) {
      run.stdout(lines("result", 1));
      run.look();
      Path moved = putAway(run.stdoutFile());
      run.stdout(lines("result", 2));

      RunEnd end = run.end(0, () -> putBack(moved, run.stdoutFile()));

      assertThat(end.result().orElseThrow().intValue()).isEqualTo(2);
    }
  }

  @Test
  void anEarlierResultIsNotTheLastOneOfAnOutputThatStaysUnreadable() throws IOException {
    try (WrittenRun run = new WrittenRun(data, "never", ToldBefore.NOTHING)) {
      run.stdout(lines("result", 1));
      run.look();
      putAway(run.stdoutFile());
      run.stdout(lines("result", 2));

      RunEnd end = run.end(0);

      assertThat(end.result()).isEmpty();
      assertThat(end.resultProblem().orElseThrow()).startsWith("its output cannot be read: ");
    }
  }

  /** What lies over it is a file, and to read it is an error. */
  @Test
  void aResultFileThatCannotBeReadWhenItsRunEndsIsWaitedFor() throws Exception {
    try (WrittenRun run = new WrittenRun(data, "result", ToldBefore.NOTHING)) {
      Files.writeString(run.resultFile(), "7");
      assumeTrue(
          sh("mount --bind /sys/class/net/lo/speed " + run.resultFile()), "nothing can be mounted");
      try {
        RunEnd end = run.end(0, () -> unmount(run.resultFile()));
        assertThat(end.result().map(JsonNode::intValue)).hasValue(7);
      } finally {
        sh("umount " + run.resultFile()); // if it was not reached
      }
    }
  }

  private static boolean sh(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command).start().waitFor() == 0;
  }

  private static void unmount(Path file) throws IOException {
    try {
      sh("umount " + file);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It can be written on then, and not be read. */
  private static Path putAway(Path file) throws IOException {
    Path moved = Files.move(file, file.resolveSibling("moved"));
    Files.createSymbolicLink(file, moved);
    return moved;
  }

  private static Path putBack(Path moved, Path file) throws IOException {
    return Files.move(moved, file, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void aRateLetsSomeThroughAtOnceAndThenSoManyASecond() {
    AtomicLong nanos = new AtomicLong();
    LineRate rate = new LineRate(3, 2, nanos::get);
    assertThat(rate.take(1) && rate.take(1) && rate.take(1)).isTrue();
    assertThat(rate.take(1)).isFalse();
    nanos.addAndGet(500_000_000L);
    assertThat(rate.take(5)).as("one large one").isTrue();
    nanos.addAndGet(2_000_000_000L);
    assertThat(rate.take(1)).as("it is not paid for yet").isFalse();
    nanos.addAndGet(500_000_000L);
    assertThat(rate.take(1)).isTrue();
    nanos.addAndGet(100_000_000_000L);
    assertThat(rate.take(3)).isTrue();
    assertThat(rate.take(1)).as("no more than at once are saved").isFalse();
  }
}
