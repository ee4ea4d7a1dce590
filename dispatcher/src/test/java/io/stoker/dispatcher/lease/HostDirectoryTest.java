package io.stoker.dispatcher.lease;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostDirectoryTest {
  private static final long LEASE = 30_000;
  private static final long MARGIN = 5_000;

  private long now;
  private final HostDirectory directory =
      new HostDirectory(new LeaseBook(LEASE, MARGIN), () -> now);

  @Test
  void losingAnEpochDoesNotTakeTheLeaseOfTheNextOne() {
    directory.heard(aHost("h1").epoch(1).heartbeat());
    directory.registered("h1", 2);

    directory.dropped("h1", 1);
    assertThat(directory.alive("h1")).isTrue();

    directory.dropped("h1", 2);
    assertThat(directory.alive("h1")).isFalse();
  }

  @Test
  void aHelloDelaysTheLossWhicheverReplicaAnswersIt() {
    holdEndUntil(LEASE + MARGIN + 2_000);
    directory.helloHeard("h1");

    holdEndUntil(now + LEASE);
    assertThat(directory.expired(List.of("h1"))).isEmpty();

    holdEndUntil(now + MARGIN + 1_000);
    assertThat(directory.expired(List.of("h1"))).containsExactly("h1");
  }

  @Test
  void theEndIsNotHeldBeforeItIsReachedNorLongAfterItWas() {
    assertThat(directory.holdsEnd()).isFalse();
    directory.atEnd(true);
    assertThat(directory.holdsEnd()).isTrue();
    now += LEASE;
    assertThat(directory.holdsEnd()).as("stopped meanwhile").isFalse();
  }

  @Test
  void howLongTheEndWasNotHeld_countsFromTheStart_andFromEachTimeThatItWas() {
    now += 7_000;
    assertThat(directory.endUnheldMs()).isEqualTo(7_000);
    directory.atEnd(true);
    now += 2_000;
    directory.atEnd(false);
    assertThat(directory.endUnheldMs()).isEqualTo(2_000);
  }

  private void holdEndUntil(long then) {
    while (now < then) {
      now += 1_000;
      directory.atEnd(true);
    }
  }
}
