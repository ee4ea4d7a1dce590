package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LogProgressTest {
  private static final OptionalInt ALL = OptionalInt.empty();

  /** {@code attempt.rank.n}, without a rank {@code attempt..n}; the last piece ends with a dot. */
  private static LogChunk chunk(String said) {
    boolean last = said.endsWith(".");
    String[] parts = said.split("\\.");
    Integer rank = parts[1].isEmpty() ? null : Integer.valueOf(parts[1]);
    int attempt = Integer.parseInt(parts[0]);
    int n = Integer.parseInt(parts[2]);
    return new LogChunk(
        new Source("job", attempt, rank, "host", "r"), "stdout", n, 0, "", last, false);
  }

  private static List<LogChunk> chunks(String said) {
    return Arrays.stream(said.split(" ")).map(LogProgressTest::chunk).toList();
  }

  static Stream<Arguments> taken() {
    return Stream.of(
        Arguments.of("each piece once", ALL, "1..0 1..1 1..0 1..1", 2),
        Arguments.of("of each attempt", ALL, "1..0 2..0 2..0", 2),
        Arguments.of("of each member", ALL, "1.0.0 1.1.0 1.0.1 1.1.1 1.1.0", 4),
        Arguments.of("of one member alone", OptionalInt.of(1), "1.0.0 1.1.0 1.0.1 1.1.1 1.1.0", 2),
        Arguments.of("a job on one host has no member", OptionalInt.of(0), "1..0 1..1", 0));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void taken(String what, OptionalInt only, String said, int taken) {
    LogProgress progress = new LogProgress("job", only);
    assertThat(chunks(said).stream().filter(progress::take)).hasSize(taken);
  }

  static Stream<Arguments> complete() {
    return Stream.of(
        Arguments.of("nothing has come", ALL, "1..0", 1, 1, false),
        Arguments.of("its last", ALL, "1..0 1..1.", 1, 1, true),
        Arguments.of("an earlier attempt's last", ALL, "1..0.", 2, 1, false),
        Arguments.of("a later attempt's last, when one looked before", ALL, "2..0.", 1, 1, true),
        Arguments.of("one of two members' last", ALL, "1.0.0 1.1.0.", 1, 2, false),
        Arguments.of("the same one's last twice", ALL, "1.1.0. 1.1.0.", 1, 2, false),
        Arguments.of("both members' last", ALL, "1.0.0. 1.1.0.", 1, 2, true),
        Arguments.of("of members of different attempts", ALL, "1.0.0. 2.1.0.", 2, 2, false),
        Arguments.of("one member's, that is read alone", OptionalInt.of(1), "1.1.0.", 1, 2, true),
        Arguments.of("another member's", OptionalInt.of(1), "1.0.0.", 1, 2, false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void complete(
      String what, OptionalInt only, String said, int attempt, int members, boolean over) {
    LogProgress progress = new LogProgress("job", only);
    chunks(said).forEach(progress::take);
    assertThat(progress.over(attempt, members, 7)).isEqualTo(over);
  }

  @Test
  void aMemberThatNeverBeganIsNotWaitedForLong() {
    LogProgress progress = new LogProgress("job", ALL);
    progress.take(chunk("1.0.0."));
    long end = Long.MAX_VALUE - 3; // such a clock may begin anywhere
    assertThat(progress.over(1, 2, end)).isFalse();
    assertThat(progress.over(1, 2, end + LogProgress.LATE_NANOS)).isFalse();
    assertThat(progress.over(1, 2, end + LogProgress.LATE_NANOS + 1)).isTrue();
  }

  @Test
  void anotherJobsPiecesAreNotTaken() {
    assertThat(new LogProgress("other", ALL).take(chunk("1..0"))).isFalse();
  }
}
