package io.stoker.common.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingTest {
  private static final String KEY = "stoker.x";

  @Test
  void whatFitsIsHandedOn() {
    assertThat(Setting.period(KEY, Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
    assertThat(Setting.time(KEY, Duration.ZERO)).isZero();
    assertThat(Setting.count(KEY, 2, 2)).isEqualTo(2);
  }

  @Test
  void whatDoesNotFitIsNamed() {
    assertThatThrownBy(() -> Setting.period(KEY, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stoker.x is PT0S, expected more than 0");
    assertThatThrownBy(() -> Setting.time(KEY, Duration.ofSeconds(-5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stoker.x is PT-5S, expected 0 or more");
    assertThatThrownBy(() -> Setting.count(KEY, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stoker.x is 0, expected 1 or more");
  }
}
