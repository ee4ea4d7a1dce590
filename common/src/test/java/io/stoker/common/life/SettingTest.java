package io.stoker.common.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingTest {
  private static final String KEY = "stoker.x";

  @Test
  void whatFitsIsHandedOn() {
    assertThat(Setting.period(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
    assertThat(Setting.time(Duration.ZERO)).isZero();
    assertThat(Setting.time(Duration.ofDays(50_000))).isEqualTo(Duration.ofDays(50_000));
    assertThat(Setting.period(null)).isNull();
    assertThat(Setting.count(KEY, 2, 2)).isEqualTo(2);
    assertThat(Setting.port("65535")).isEqualTo(65_535);
    assertThat(Setting.port(" ")).isNull();
    assertThat(Setting.secret(KEY, "0aFF")).containsExactly(10, -1);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofDays(50_001))) {
      assertThatThrownBy(() -> Setting.period(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("expected 1 ms to 50000 days");
    }
    assertThatThrownBy(() -> Setting.time(Duration.ofSeconds(-5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected 0 to 50000 days");
    for (String wrong : List.of("65536", "-1", "http", "1234567890123")) {
      assertThatThrownBy(() -> Setting.port(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("expected a port, 0 to 65535");
    }
    assertThatThrownBy(() -> Setting.secret(KEY, "very-secret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stoker.x is no hex, expected pairs of 0-9 a-f")
        .hasNoCause();
    assertThatThrownBy(() -> Setting.count(KEY, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stoker.x is 0, expected 1 or more");
  }
}
