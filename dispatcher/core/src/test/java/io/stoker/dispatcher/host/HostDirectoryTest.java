package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.host.HostDirectory.Sound;
import io.stoker.dispatcher.scenario.AHost;
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

  @Test
  void whoSpeaksOfASupersededEpochIsToBeToldAndWhatIsToldAgainIsNoNews() {
    AHost host = aHost("h1").epoch(2);
    assertThat(directory.heard(host.heartbeat())).isEqualTo(Sound.FIRST);
    assertThat(directory.heard(host.heartbeat())).isEqualTo(Sound.AGAIN);
    assertThat(directory.heard(aHost("h1").epoch(2).heartbeat())).isEqualTo(Sound.OLD);
    assertThat(directory.heard(aHost("h1").epoch(1).heartbeat())).isEqualTo(Sound.SUPERSEDED);
  }
}
