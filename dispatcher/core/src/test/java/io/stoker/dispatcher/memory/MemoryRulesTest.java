package io.stoker.dispatcher.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryRulesTest {
  private static final long GIB = 1L << 30;

  private final MemoryRules rules = new MemoryRules(0.95, 0.1);

  @ParameterizedTest
  @CsvSource({"1, 1100", "2, 2200", "19, 20900", "20, 20900", "40, 41800", "100, 104500"})
  void ofFewTheHighestCountsAndOfManyAHighQuantile(int measured, long expected) {
    List<Long> peaks = LongStream.rangeClosed(1, measured).map(n -> n * 1_000).boxed().toList();

    Estimate estimate =
        rules.estimate(Of.GPU, From.LIKE_JOBS, new Peaks(peaks, measured)).orElseThrow();

    assertThat(estimate.bytes()).isEqualTo(expected);
    assertThat(estimate.highest()).isEqualTo(measured * 1_000L);
  }

  @Test
  void equalJobsSayMoreThanLikeOnes() {
    Peaks equal = new Peaks(List.of(GIB), 1);
    Peaks like = new Peaks(List.of(5 * GIB, 4 * GIB), 9);

    Optional<Estimate> ofEqual = rules.estimate(Of.GPU, From.EQUAL_JOBS, equal);
    Optional<Estimate> ofLike = rules.estimate(Of.GPU, From.LIKE_JOBS, like);
    Estimate own = MemoryRules.better(ofEqual, ofLike).orElseThrow();
    Estimate others = MemoryRules.better(Optional.empty(), ofLike).orElseThrow();

    assertThat(own.from()).isEqualTo(From.EQUAL_JOBS);
    assertThat(own.quantile()).isEqualTo(GIB);
    assertThat(own.sentence())
        .isEqualTo(
            "1.1 GiB on each GPU: of 1 equal job(s) measured, 95 % took 1 GiB at most, and a margin");
    assertThat(others.from()).isEqualTo(From.LIKE_JOBS);
    assertThat(others.seen()).isEqualTo(9);
    assertThat(others.sentence()).startsWith("5.5 GiB on each GPU: of 9 job(s) like it measured");
    assertThat(rules.estimate(Of.GPU, From.LIKE_JOBS, Peaks.NONE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "SUCCEEDED, , 3000, 1, 3000",
    "SUCCEEDED, , 3001, 2, 1501",
    "FAILED, GPU_OOM, 3000, 1, 4500",
    "FAILED, APP, 3000, 1, -1",
    "FAILED, TIMEOUT, 3000, 1, -1",
    "CANCELLED, , 3000, 1, -1",
    "SUCCEEDED, , , 1, -1",
    "SUCCEEDED, , 0, 1, -1",
    "SUCCEEDED, , 3000, 0, -1",
  })
  void successesAreLearnedFromAndWhatRanOutOfMemoryWouldHaveTakenMore(
      Outcome outcome, FailureCategory category, Long peak, int gpus, long learned) {
    OptionalLong expected = learned < 0 ? OptionalLong.empty() : OptionalLong.of(learned);

    assertThat(MemoryRules.learned(ended(outcome, category, peak), gpus)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "SUCCEEDED, , 3000, 3000",
    "FAILED, HOST_OOM, 3000, 4500",
    "FAILED, GPU_OOM, 3000, -1",
    "FAILED, APP, 3000, -1",
    "SUCCEEDED, , , -1",
    "SUCCEEDED, , 0, -1",
  })
  void ofHostMemoryTheSameIsLearned(
      Outcome outcome, FailureCategory category, Long peak, long learned) {
    OptionalLong expected = learned < 0 ? OptionalLong.empty() : OptionalLong.of(learned);

    assertThat(MemoryRules.learnedOfHost(ended(outcome, category, null, peak))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    // declared, highest measured, times it ran out, promised
    "1000, , 0, 1000",
    "1000, 500, 0, 550",
    "1000, 2000, 0, 2200",
    "1000, , 1, 1500",
    "1000, , 2, 2250",
    "1000, 1200, 1, 1500",
    "1000, 4500, 1, 4950",
    ", 2000, 1, 3300",
    ", 2000, 2, 4950",
    ", , 1, -1",
    ", , 0, -1",
  })
  void hostMemoryIsPromisedByMeasurementAndMoreAfterItRanOut(
      Long declared, Long measured, int ranOut, long promised) {
    Estimate estimate =
        measured == null
            ? null
            : rules
                .estimate(Of.HOST, From.LIKE_JOBS, new Peaks(List.of(measured), 1))
                .orElseThrow();

    assertThat(MemoryRules.hostMemory(declared, estimate, ranOut))
        .isEqualTo(promised < 0 ? OptionalLong.empty() : OptionalLong.of(promised));
  }

  @ParameterizedTest
  @CsvSource({
    "64000000, 1000000, 0, 64000000",
    "64000000, 100000000, 0, 110000000",
    "64000000, , 0, 64000000",
    "64000000, 1000000, 1, 96000000",
    ", 1000000, 1, 1650000",
    ", , 0, -1",
  })
  void containerMemory_measuredToBeLess_isWhatItSays(
      Long declared, Long measured, int ranOut, long promised) {
    Peaks peaks = measured == null ? Peaks.NONE : new Peaks(List.of(measured), 1);
    Estimate estimate = rules.estimate(Of.HOST, From.LIKE_JOBS, peaks).orElse(null);

    assertThat(MemoryRules.containerMemory(declared, estimate, ranOut))
        .isEqualTo(promised < 0 ? OptionalLong.empty() : OptionalLong.of(promised));
  }

  @Test
  void whatWasMeasuredOfItselfHasInItThatItRanOut() {
    Estimate own =
        rules.estimate(Of.HOST, From.EQUAL_JOBS, new Peaks(List.of(3000L), 1)).orElseThrow();

    assertThat(MemoryRules.hostMemory(null, own, 1)).hasValue(3300);
    assertThat(MemoryRules.hostMemory(4000L, own, 1)).hasValue(6000);
  }

  @Test
  void anEstimateSaysWhichMemoryItIsOf() {
    Peaks peaks = new Peaks(List.of(1L << 30), 1);

    assertThat(rules.estimate(Of.GPU, From.EQUAL_JOBS, peaks).orElseThrow().sentence())
        .startsWith("1.1 GiB on each GPU: of 1 equal job(s) measured");
    assertThat(rules.estimate(Of.HOST, From.EQUAL_JOBS, peaks).orElseThrow().sentence())
        .startsWith("1.1 GiB of host memory: of 1 equal job(s) measured");
  }

  @Test
  void withoutAnyMeasurementNothingIsLearned() {
    AttemptEvent none =
        AttemptEvent.of("j", 1)
            .type(AttemptEvent.Type.ENDED)
            .devices(List.of())
            .outcome(Outcome.SUCCEEDED)
            .exitCode(0)
            .build();

    assertThat(MemoryRules.learned(none, 1)).isEmpty();
    assertThat(MemoryRules.learnedOfHost(none)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, 0.1", "1.01, 0.1", "NaN, 0.1", "0.5, -0.1", "0.5, NaN", "0.5, 11"})
  void settingsOutOfRangeAreRefusedByName(double quantile, double margin) {
    assertThatThrownBy(() -> new MemoryRules(quantile, margin))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.memory.");
  }

  private static AttemptEvent ended(Outcome outcome, FailureCategory category, Long peak) {
    return ended(outcome, category, peak, null);
  }

  private static AttemptEvent ended(
      Outcome outcome, FailureCategory category, Long peak, Long ofHost) {
    Usage usage = new Usage(1L, null, ofHost, peak);
    return AttemptEvent.of("j", 1)
        .type(AttemptEvent.Type.ENDED)
        .devices(new ArrayList<>())
        .outcome(outcome)
        .category(category)
        .exitCode(0)
        .usage(usage)
        .build();
  }
}
