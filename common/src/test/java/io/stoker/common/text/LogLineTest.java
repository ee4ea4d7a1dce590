package io.stoker.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogLineTest {
  private static final String FORGED = "x\r\n2026-01-01 00:00:00.000 INFO  [a.B] forged\u001b[2J";

  @Test
  void message_ofSeveralLines_isOne() {
    assertThat(LogLine.message(FORGED))
        .isEqualTo("x\\u000d\\u000a2026-01-01 00:00:00.000 INFO  [a.B] forged\\u001b[2J");
    assertThat(LogLine.message("a\tplain one é")).isEqualTo("a\tplain one é");
  }

  @Test
  void trace_ofAFailureThatSaysSeveralLines_beginsNoLineByThem() {
    RuntimeException failure =
        new IllegalStateException("of " + FORGED, new IllegalArgumentException(FORGED));
    failure.addSuppressed(new IllegalStateException(FORGED));

    String trace = LogLine.trace(failure);

    assertThat(trace).startsWith("java.lang.IllegalStateException: of x\\u000d\n\t2026");
    assertThat(trace.lines().skip(1)).isNotEmpty().allMatch(line -> line.startsWith("\t"));
    assertThat(trace)
        .contains("Caused by: java.lang.IllegalArgumentException", "Suppressed: ", "LogLineTest")
        .doesNotContain("\u001b", "\r");
  }
}
