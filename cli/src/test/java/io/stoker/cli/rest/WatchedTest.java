package io.stoker.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class WatchedTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-03-04T05:06:07.8Z"), ZoneOffset.UTC);
  private static final CliException AWAY = CliException.unreachable("it does not answer");

  /** What is read, one after the other: a text, or why there is none. */
  private static Watched<String> reading(Object... answers) {
    Queue<Object> left = new ArrayDeque<>(List.of(answers));
    return new Watched<>(
        () -> {
          Object next = left.remove();
          if (next instanceof CliException e) {
            throw e;
          }
          return (String) next;
        },
        CLOCK);
  }

  @Test
  void whoIsAwayForAMomentLeavesWhatWasReadBefore() {
    Watched<String> watched = reading("first", AWAY, "second");
    assertThat(watched.trouble()).isEmpty();

    watched.again();
    assertThat(watched.last()).isEqualTo("first");
    assertThat(watched.trouble()).contains("as of 05:06:07: it does not answer");

    watched.again();
    assertThat(watched.last()).isEqualTo("second");
    assertThat(watched.trouble()).isEmpty();
  }

  @Test
  void whoIsAwayFromTheBeginningIsSaid() {
    assertThatThrownBy(() -> reading(AWAY)).isSameAs(AWAY);
  }

  @Test
  void whatIsRefusedIsSaid() {
    CliException refused = CliException.usage("401: no such token");
    Watched<String> watched = reading("first", refused);

    assertThatThrownBy(watched::again).isSameAs(refused);
  }

  @Test
  void whoIsToldToEndReadsNoFurther() {
    Watched<String> watched = reading("first", AWAY);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(watched::again).isSameAs(AWAY);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
