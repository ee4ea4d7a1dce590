package io.stoker.dispatcher.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MailRulesTest {
  private static final long HOUR = 3_600_000;
  private static final long NOW = 100 * HOUR;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // hours ago; may send
        "; true",
        "0.5; false",
        "1; true",
        "2, 0.9; false",
        "2, 3; true",
        "2, 3, 4; false",
        "2, 3, 24; true",
        "2, 3, 23.9; false",
      })
  void twoBoundsAreObeyed(String hoursAgo, boolean may) {
    List<Long> sent =
        hoursAgo == null
            ? List.of()
            : Arrays.stream(hoursAgo.split(","))
                .map(ago -> NOW - (long) (Double.parseDouble(ago) * HOUR))
                .toList();
    assertThat(new MailRules(HOUR, 3).maySend(sent, NOW)).isEqualTo(may);
  }

  @Test
  void noneAtAllIsNone() {
    assertThat(new MailRules(0, 0).maySend(List.of(), NOW)).isFalse();
  }

  @Test
  void mailsAreRememberedAsLongAsTheyCount() {
    assertThat(new MailRules(HOUR, 3).rememberMs()).isEqualTo(24 * HOUR);
    assertThat(new MailRules(48 * HOUR, 3).rememberMs()).isEqualTo(48 * HOUR);
  }

  @Test
  void refusesNegatives() {
    assertThatThrownBy(() -> new MailRules(-1, 3)).hasMessageContaining("stoker.mail.min-interval");
  }
}
