package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.Heartbeat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LeaseBookTest {
  private static final long LEASE = 30_000;
  private static final long MARGIN = 5_000;
  private static final long EXPIRY = LEASE + MARGIN;
  private static final Map<String, Long> HOSTS = new TreeMap<>(Map.of("h1", 1L, "h2", 1L));

  private final LeaseBook book = new LeaseBook(LEASE, MARGIN);
  private long now = 500_000;
  private long beats;

  @Test
  void aHostIsLostWhenNothingCameForLeaseAndMargin() {
    hold(1);
    heard("h1");
    hold(EXPIRY);
    heard("h2");
    assertThat(book.expired(HOSTS, Map.of(), now)).isEmpty();

    hold(1000);

    assertThat(book.expired(HOSTS, Map.of(), now)).containsExactly("h1");
    assertThat(book.alive("h1", now)).isFalse();
    assertThat(book.alive("h2", now)).isTrue();
  }

  @Test
  void aRestartedDispatcherGivesEveryHostAWholeLeaseAgain() {
    book.expired(HOSTS, Map.of(), now);
    hold(EXPIRY);
    assertThat(book.expired(HOSTS, Map.of(), now)).isEmpty();

    hold(1000);

    assertThat(book.expired(HOSTS, Map.of(), now)).containsExactly("h1", "h2");
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

    assertThat(book.expired(HOSTS, Map.of(), now)).isEmpty();
  }

  @Test
  void losingTheEndOfTheLogStartsTheWaitAgain() {
    heard("h1");
    hold(EXPIRY + 1000);
    assertThat(book.expired(HOSTS, Map.of(), now)).isNotEmpty();

    book.notAtEnd();

    assertThat(book.expired(HOSTS, Map.of(), now)).isEmpty();
    hold(EXPIRY);
    assertThat(book.expired(HOSTS, Map.of(), now)).isEmpty();
    hold(1000);
    assertThat(book.expired(HOSTS, Map.of(), now)).containsExactly("h1", "h2");
  }

  @Test
  void aDispatcherThatWasStoppedItselfTakesNobodyForLost() {
    heard("h1");
    hold(EXPIRY + 1000);
    heard("h1");
    heard("h2");

    now += 10 * EXPIRY;
    assertThat(book.expired(HOSTS, Map.of(), now))
        .as("before it has read what came meanwhile")
        .isEmpty();
    book.atEnd(now);

    assertThat(book.expired(HOSTS, Map.of(), now))
        .as("the end was not held all the time")
        .isEmpty();
    hold(EXPIRY + 1000);
    assertThat(book.expired(HOSTS, Map.of(), now)).containsExactly("h1", "h2");
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
  void anOutageWithoutEndEndsNever() {
    hold(1);
    heard("h1");
    hold(EXPIRY + 1000);

    assertThat(book.expired(Map.of("h1", 1L), Map.of("h1", Long.MAX_VALUE), now)).isEmpty();
  }

  @Test
  void whoHasFallenSilentIsForgottenWhereManyNamesAreHeard() {
    hold(1);
    book.expired(Map.of("h1", 1L), Map.of(), now);
    for (int i = 0; i < 100_000; i++) {
      book.heard(beat("host-" + i, 1, 1), now + i);
    }
    long many = now + 100_000;
    assertThat(book.remembered()).isBetween((int) EXPIRY, 4 * (int) EXPIRY);

    assertThat(book.alive("host-99999", many)).isTrue();
    assertThat(book.alive("host-0", many)).isFalse();
    assertThat(book.epoch("h1")).as("of one that is registered all is kept").contains(1L);
  }

  /** Long after the end of the log was reached; else it would be counted from there. */
  @Test
  void whatWasForgottenIsTakenToHaveBeenHeardOfAsLateAsAnyOfIt() {
    long outage = 100 * EXPIRY;
    hold(50 * EXPIRY);
    heard("away");
    hold(2 * EXPIRY);
    long left = book.leftMs("away", 1, outage, now);
    for (int i = 0; i <= LeaseBook.FEW; i++) {
      book.heard(beat("host-" + i, 1, 1), now);
    }

    assertThat(book.lastOf("away")).as("it is forgotten").isEmpty();
    assertThat(book.leftMs("away", 1, outage, now)).isEqualTo(left).isPositive();
    assertThat(book.leftMs("away", 1, 0, now)).as("its lease is over").isZero();
  }

  @Test
  void anOutageThatIsShorterThanALeaseShortensNone() {
    hold(1);
    heard("h1");
    hold(EXPIRY);

    assertThat(book.expired(Map.of("h1", 1L), Map.of("h1", 1L), now)).isEmpty();
  }

  @Test
  void anOutageCountsFromWhereTheEndOfTheLogIsHeld() {
    Map<String, Long> outages = Map.of("h1", 4 * LEASE);
    book.expired(Map.of("h1", 1L), outages, now);
    hold(EXPIRY + 1000);

    assertThat(book.expired(Map.of("h1", 1L), outages, now)).as("after a restart").isEmpty();
    hold(4 * LEASE);
    assertThat(book.expired(Map.of("h1", 1L), outages, now)).containsExactly("h1");
  }

  @Test
  void theLastHeartbeatIsKeptWhenItsHostIsGrantedAnEpoch() {
    Heartbeat beat = beat("h1", 1, 1);
    book.heard(beat, now);
    book.granted("h1", 2, now + 5);

    assertThat(book.lastOf("h1").orElseThrow().heartbeat()).contains(beat);
    assertThat(book.lastOf("h1").orElseThrow().at()).isEqualTo(now + 5);
  }

  @Test
  void aHeartbeatThatIsInTheLogAgainCountsOnce() {
    hold(1);
    assertThat(book.heard(beat("h1", 1, 7), now)).isTrue();
    hold(EXPIRY + 1000);

    assertThat(book.heard(beat("h1", 1, 7), now)).isFalse();
    assertThat(book.heard(beat("h1", 1, 6), now)).isFalse();

    assertThat(book.alive("h1", now)).isFalse();
    assertThat(book.expired(Map.of("h1", 1L), Map.of(), now)).containsExactly("h1");
    assertThat(book.heard(beat("h1", 1, 8), now)).isTrue();
    assertThat(book.alive("h1", now)).isTrue();
  }

  @Test
  void aHeartbeatOfASupersededEpochTellsThatSomebodyRunsOn() {
    hold(EXPIRY + 1000);
    book.granted("h1", 2, now);
    hold(EXPIRY);

    book.heard(beat("h1", 1, 7), now);
    hold(1000);

    assertThat(book.alive("h1", now)).as("the host, as it is now").isFalse();
    assertThat(book.leftMs("h1", 1, 0, now)).isEqualTo(LEASE + MARGIN + 1 - 1000);
    assertThat(book.expired(Map.of("h1", 2L), Map.of(), now)).isEmpty();
    hold(EXPIRY);
    assertThat(book.leftMs("h1", 1, 0, now)).isZero();
    assertThat(book.expired(Map.of("h1", 2L), Map.of(), now)).containsExactly("h1");
  }

  @Test
  void aHeartbeatOfALaterEpochTellsNothingOfWhatWasLeftBehind() {
    hold(EXPIRY + 1000);
    book.heard(beat("h1", 2, 1), now);

    assertThat(book.leftMs("h1", 1, 0, now)).isZero();
    assertThat(book.leftMs("h1", 2, 0, now)).isPositive();
    assertThat(book.leftMs("h1", 1, 4 * LEASE, now)).as("an outage").isPositive();
  }

  @Test
  void anEpochThatAnotherReplicaHasGrantedGetsAWholeLease() {
    hold(EXPIRY + 1000);
    book.heard(beat("h1", 1, 1), now);
    hold(EXPIRY + 1000);

    assertThat(book.expired(Map.of("h1", 2L), Map.of(), now)).as("found in its row").isEmpty();
    assertThat(book.alive("h1", now)).as("heard of").isFalse();
    hold(EXPIRY + 1000);
    assertThat(book.expired(Map.of("h1", 2L), Map.of(), now)).containsExactly("h1");
  }

  @Test
  void ofManyEpochsTheOldestCountAsOneAndNoneIsForgotten() {
    hold(EXPIRY + 1000);
    for (int epoch = 1; epoch <= 40; epoch++) {
      book.heard(beat("h1", epoch, 1), now);
    }

    assertThat(book.leftMs("h1", 1, 0, now)).isPositive();
    assertThat(book.leftMs("h1", 20, 0, now)).isPositive();
    assertThat(book.epoch("h1")).contains(40L);
  }

  @Test
  void aForgottenHostIsNotAlive() {
    heard("h1");
    book.forget("h1");

    assertThat(book.alive("h1", now)).isFalse();
  }

  @Test
  void expired_whileMessagesAreRefused_holdsTheHostForAsLongAsNothingIsBelieved() {
    heard("h1");
    heard("h2");
    hold(1000);
    book.refused("h1", now);

    hold(20 * EXPIRY);

    assertThat(book.expired(HOSTS, Map.of(), now)).containsExactly("h2");
    assertThat(book.leftMs("h1", 1, 0, now)).as("of what was left behind, too").isPositive();
    assertThat(book.held("h1")).isTrue();
    assertThat(book.alive("h1", now)).isFalse();
  }

  @Test
  void expired_onceSomethingIsBelievedAgain_countsFromTheLastRefusal() {
    heard("h1");
    hold(EXPIRY);
    book.refused("h1", now);
    book.believed("h1");
    hold(EXPIRY);
    assertThat(book.expired(HOSTS, Map.of(), now)).doesNotContain("h1");

    hold(1000);

    assertThat(book.expired(HOSTS, Map.of(), now)).contains("h1");
  }

  @Test
  void refused_ofAHostThatNobodyKnows_isNotRemembered() {
    book.refused("nobody", now);

    assertThat(book.held("nobody")).isFalse();
  }

  @Test
  void heldBefore_ofAHostThatThisDispatcherHasBelieved_isOver() {
    heard("h1");
    book.believed("h1");
    book.heldBefore("h1", now);
    book.heldBefore("h2", now);

    assertThat(book.held("h1")).isFalse();
    assertThat(book.held("h2")).isTrue();
  }

  private void heard(String host) {
    book.heard(beat(host, 1, ++beats), now);
  }

  private static Heartbeat beat(String host, long epoch, long n) {
    return new Heartbeat(host, epoch, n, 1, 1, List.of(), null, List.of());
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
