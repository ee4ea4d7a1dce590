package io.stoker.dispatcher.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.Heartbeat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseBookTest {
  private static final long LEASE = 30_000;
  private static final long MARGIN = 5_000;
  private static final long EXPIRY = LEASE + MARGIN;
  private static final List<String> HOSTS = List.of("h1", "h2");

  private final LeaseBook book = new LeaseBook(LEASE, MARGIN);
  private long now = 500_000;

  @Test
  void aHostIsLostWhenNothingCameForLeaseAndMargin() {
    hold(1);
    heard("h1");
    hold(EXPIRY);
    heard("h2");
    assertThat(book.expired(HOSTS, now)).isEmpty();

    hold(1000);

    assertThat(book.expired(HOSTS, now)).containsExactly("h1");
    assertThat(book.alive("h1", now)).isFalse();
    assertThat(book.alive("h2", now)).isTrue();
  }

  @Test
  void aRestartedDispatcherGivesEveryHostAWholeLeaseAgain() {
    hold(EXPIRY);
    assertThat(book.expired(HOSTS, now)).isEmpty();

    hold(1000);

    assertThat(book.expired(HOSTS, now)).containsExactly("h1", "h2");
  }

  @Test
  void aHostThatWasNeverHeardOfIsNotAlive() {
    assertThat(book.alive("h1", now)).isFalse();
    assertThat(book.lastOf("h1")).isEmpty();
  }

  @Test
  void aReaderThatLagsProvesNothing() {
    heard("h1");
    now += 10 * EXPIRY;

    assertThat(book.expired(HOSTS, now)).isEmpty();
  }

  @Test
  void losingTheEndOfTheLogStartsTheWaitAgain() {
    heard("h1");
    hold(EXPIRY + 1000);
    assertThat(book.expired(HOSTS, now)).isNotEmpty();

    book.notAtEnd();

    assertThat(book.expired(HOSTS, now)).isEmpty();
    hold(EXPIRY);
    assertThat(book.expired(HOSTS, now)).isEmpty();
    hold(1000);
    assertThat(book.expired(HOSTS, now)).containsExactly("h1", "h2");
  }

  @Test
  void aDispatcherThatWasStoppedItselfTakesNobodyForLost() {
    heard("h1");
    hold(EXPIRY + 1000);
    heard("h1");
    heard("h2");

    now += 10 * EXPIRY;
    assertThat(book.expired(HOSTS, now)).as("before it has read what came meanwhile").isEmpty();
    book.atEnd(now);

    assertThat(book.expired(HOSTS, now)).as("the end was not held all the time").isEmpty();
    hold(EXPIRY + 1000);
    assertThat(book.expired(HOSTS, now)).containsExactly("h1", "h2");
  }

  @Test
  void aHostWhoseJobsRunOnKeepsThemForItsOutageAndGetsNoNewOnes() {
    long outage = 4 * LEASE;
    Map<String, Long> outages = Map.of("h1", outage, "h2", 0L);
    hold(1);
    heard("h1");
    heard("h2");

    hold(EXPIRY + 1000);
    assertThat(book.alive("h1", now)).as("reachable").isFalse();
    assertThat(book.expired(HOSTS, outages, now)).containsExactly("h2");
    hold(outage - EXPIRY);
    assertThat(book.expired(HOSTS, outages, now)).containsExactly("h2");

    hold(MARGIN + 1000);

    assertThat(book.expired(HOSTS, outages, now)).containsExactly("h1", "h2");
  }

  @Test
  void anOutageThatIsShorterThanALeaseShortensNone() {
    hold(1);
    heard("h1");
    hold(EXPIRY);

    assertThat(book.expired(List.of("h1"), Map.of("h1", 1L), now)).isEmpty();
  }

  @Test
  void anOutageCountsFromWhereTheEndOfTheLogIsHeld() {
    Map<String, Long> outages = Map.of("h1", 4 * LEASE);
    hold(EXPIRY + 1000);

    assertThat(book.expired(List.of("h1"), outages, now)).as("after a restart").isEmpty();
    hold(4 * LEASE);
    assertThat(book.expired(List.of("h1"), outages, now)).containsExactly("h1");
  }

  @Test
  void theLastHeartbeatIsKeptWhenAHostIsHeardOfOtherwise() {
    Heartbeat beat = new Heartbeat("h1", 1, 1, 1, 1, List.of(), null, List.of(), null);
    book.heard("h1", now, Optional.of(beat));
    book.heard("h1", now + 5, Optional.empty());

    assertThat(book.lastOf("h1").orElseThrow().heartbeat()).contains(beat);
    assertThat(book.lastOf("h1").orElseThrow().at()).isEqualTo(now + 5);
  }

  @Test
  void aForgottenHostIsNotAlive() {
    heard("h1");
    book.forget("h1");

    assertThat(book.alive("h1", now)).isFalse();
  }

  private void heard(String host) {
    book.heard(host, now, Optional.empty());
  }

  /** Time passes while the end of the log is held, as a reader confirms it. */
  private void hold(long ms) {
    long until = now + ms;
    book.atEnd(now);
    while (now < until) {
      now = Math.min(until, now + 1000);
      book.atEnd(now);
    }
  }
}
