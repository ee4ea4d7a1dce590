package io.stoker.common.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.WrongValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class StartFailureTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private int say(Throwable failure, boolean whole) {
    return StartFailure.say(
        new RuntimeException("Failed to start", failure),
        whole,
        new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aWrongSettingIsOneLine_whateverItIsDueTo() {
    try {
      Duration.parse("soon");
    } catch (RuntimeException e) {
      var wrong = new IllegalArgumentException("stoker.lease is soon, expected a duration", e);

      assertThat(say(wrong, false)).isEqualTo(StartFailure.MISCONFIGURED);
    }
    assertThat(printed()).isEqualTo("cannot start: stoker.lease is soon, expected a duration\n");
  }

  @Test
  void valuesThatCannotBeConvertedAreOneLineWithTheirKeys() {
    String told =
        "java.lang.IllegalArgumentException: SRCFG00039: The config property %s with the config"
            + " value \"%s\" threw an Exception whilst being converted %s";
    var wrong =
        new WrongValue(
            "Configuration validation failed:\n\t"
                + told.formatted("stoker.run-deadline", "0s", "expected 1 ms to 50000 days")
                + "\n\t"
                + told.formatted("stoker.mail.port", "x", "SRCFG00029: Expected an integer value"));

    assertThat(say(wrong, false)).isEqualTo(StartFailure.MISCONFIGURED);
    assertThat(printed())
        .isEqualTo(
            "cannot start: stoker.run-deadline is 0s, expected 1 ms to 50000 days;"
                + " stoker.mail.port is x, Expected an integer value\n");
  }

  @Test
  void whatARestartMayMendHasAnotherExitCode() {
    var taken = new ExecutionException(new BindException("port already bound: 8080"));

    assertThat(say(taken, false)).isEqualTo(1);
    assertThat(say(new UncheckedIOException("no disk", new IOException()), false)).isEqualTo(1);
    assertThat(printed())
        .isEqualTo("cannot start: port already bound: 8080\ncannot start: no disk\n");
  }

  @Test
  void whatNobodyForesawIsToldWithItsTrace() {
    try {
      List.of().getFirst();
    } catch (RuntimeException e) {
      assertThat(say(e, false)).isEqualTo(1);
    }
    assertThat(printed()).contains("NoSuchElementException", "\tat ").doesNotContain("cannot");
  }

  @Test
  void theTraceOfAWrongSettingIsThereForWhoWantsIt() {
    assertThat(say(new IllegalArgumentException("wrong"), true))
        .isEqualTo(StartFailure.MISCONFIGURED);
    assertThat(printed()).contains("\tat ").endsWith("cannot start: wrong\n");
  }
}
