package io.stoker.dispatcher.backup;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage;
import io.stoker.dispatcher.backup.HeardHosts.Heard;
import org.junit.jupiter.api.Test;

class HeardHostsTest {
  private final HeardHosts hosts = new HeardHosts();

  private Heard after(HostMessage... log) {
    for (HostMessage message : log) {
      hosts.heard(message);
    }
    return hosts.all().iterator().next();
  }

  @Test
  void theNewestEpochCounts() {
    Heard heard =
        after(
            aHost("h1").epoch(3).heartbeat(),
            aHost("h1").epoch(5).inventory(),
            aHost("h1").epoch(4).heartbeat(),
            new HostMessage.Goodbye("h1", 2, null));

    assertThat(heard.id()).isEqualTo("h1");
    assertThat(heard.epoch()).isEqualTo(5);
  }

  @Test
  void howLongJobsRunOnIsToldByTheHelloThatWasGranted() {
    Heard heard =
        after(
            aHost("h1").epoch(3).heartbeat(),
            aHost("h1").maxOutage(900).hello(),
            aHost("h1").maxOutage(100).hello(),
            aHost("h1").epoch(4).heartbeat());

    assertThat(heard.outageMs()).as("any of them").isEqualTo(900);
    assertThat(heard.fleet()).isEqualTo("default");
  }

  @Test
  void orByAnInventoryOfTheNewestEpoch() {
    Heard heard =
        after(
            aHost("h1").maxOutage(900).hello(),
            aHost("h1").epoch(4).heartbeat(),
            aHost("h1").epoch(4).maxOutage(50).inventory(),
            aHost("h1").epoch(3).maxOutage(70).inventory());

    assertThat(heard.outageMs()).isEqualTo(50);
  }

  @Test
  void orByNothingThatIsLeftInTheLog() {
    Heard heard =
        after(
            aHost("h1").epoch(3).maxOutage(70).inventory(),
            aHost("h1").epoch(4).heartbeat(),
            aHost("h1").maxOutage(900).hello());

    assertThat(heard.resources()).isNull();
  }

  @Test
  void whoOnlyAskedWasGivenNothing() {
    assertThat(after(aHost("h1").hello()).epoch()).isZero();
  }
}
