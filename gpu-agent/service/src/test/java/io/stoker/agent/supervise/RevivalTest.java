package io.stoker.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RevivalTest {

  /**
   * @param story what happens and when, in ms: u up, d died, n not started, l looked at
   * @param pause ms until it is tried again, or relied on
   */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // story, pause, trouble
        "u0, 100, -",
        // dies now and then: started again at once, and nobody need know
        "u0 d20000, 100, -",
        "u0 d20000 u20100 l20150, 100, -",
        "u0 d20000 u20100 d90000, 100, -",
        // dies as soon as it is started
        "u0 d50, 100, -",
        "u0 d50 u150 d200, 200, d200",
        "u0 d20000 u20100 d20200, 200, d20200",
        "u0 d20000 u20100 d20200 u20400 d20500, 400, d20500",
        // cannot be started: said at once
        "n0, 100, n0",
        "u0 d20000 n20100, 200, n20100",
        "u0 d20000 n20100 n20300 n20700, 800, n20700",
        "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11, 5000, n11",
        // is there again: relied on after it has lived for as long as it was waited for
        "n0 n100 u300, 200, n100",
        "n0 n100 u300 l499, 200, n100",
        "n0 n100 u300 l500, 200, -",
        "n0 n100 u300 l500 d600, 400, d600",
        "n0 n100 u300 l500 d20600, 100, -",
      })
  void oneThatCannotBeReliedOnIsSaidAndTriedEverMoreSlowly(
      String story, long pause, String trouble) {
    Revival revival = Revival.first(0);
    for (String step : story.split(" ")) {
      long at = Long.parseLong(step.substring(1));
      revival =
          switch (step.charAt(0)) {
            case 'u' -> revival.started(at);
            case 'd' -> revival.died(at, step);
            case 'n' -> revival.notStarted(at, step);
            default -> revival.looked(at);
          };
    }
    assertThat(revival.trouble().orElse(null)).isEqualTo(trouble);
    assertThat(revival.pause()).isEqualTo(pause);
  }
}
