package io.stoker.agent.device;

import static io.stoker.agent.device.Demands.exclusiveWith;
import static io.stoker.agent.device.Demands.gpus;
import static io.stoker.agent.device.Demands.shared;
import static io.stoker.agent.device.Hosts.GIB;
import static io.stoker.agent.device.Hosts.decide;
import static io.stoker.agent.device.Hosts.granted;
import static io.stoker.agent.device.Hosts.host;
import static io.stoker.agent.device.Hosts.told;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is promised of the memory of devices. */
class DeviceMemoryTest {

  @Test
  void whatIsPromisedAndNotYetInUseIsNotPromisedAgain() {
    DeviceLedger ledger = DeviceLedger.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    ledger = granted(ledger, "a", shared(6 * GIB));
    assertThat(ledger.headroom("0")).hasValue(4 * GIB);
    assertThat(told(decide(ledger, "b", shared(4 * GIB + 1)))).isEqualTo("NOT_NOW");

    ledger = granted(ledger, "b", shared(4 * GIB));

    assertThat(ledger.headroom("0")).hasValue(0);
    assertThat(told(decide(ledger, "c", shared(1)))).isEqualTo("NOT_NOW");
  }

  @Test
  void memoryThatShowsIsNoLongerCountedAsPromised() {
    DeviceLedger ledger = DeviceLedger.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    ledger = granted(ledger, "a", shared(6 * GIB));

    ledger = ledger.observe("0", reading(6 * GIB, Map.of("a", 4 * GIB)));
    assertThat(ledger.headroom("0")).as("2 GiB are still to come").hasValue(4 * GIB);

    ledger = ledger.observe("0", reading(3 * GIB, Map.of("a", 7 * GIB)));
    assertThat(ledger.headroom("0")).as("it took more than it was promised").hasValue(3 * GIB);
  }

  @Test
  void memoryTakenByStrangersIsNotPromised() {
    DeviceLedger ledger = granted(observed("0", 10 * GIB), "a", shared(6 * GIB));

    DeviceLedger invaded = ledger.observe("0", reading(5 * GIB, Map.of()));

    assertThat(invaded.headroom("0")).hasValue(-GIB);
    assertThat(told(decide(invaded, "b", shared(0)))).isEqualTo("NOT_NOW");
  }

  @Test
  void aSharedJobGoesToTheFirstDeviceWithRoom() {
    DeviceLedger ledger =
        DeviceLedger.of(host(0, "0", "1"))
            .observe("0", reading(2 * GIB, Map.of()))
            .observe("1", reading(8 * GIB, Map.of()));

    assertThat(told(decide(ledger, "a", shared(4 * GIB)))).isEqualTo("1");
    assertThat(told(decide(ledger, "a", shared(GIB)))).isEqualTo("0");
  }

  @Test
  void exclusiveAndSharedJobsDoNotMeet() {
    DeviceLedger sharing = granted(observed("0", 10 * GIB), "a", shared(GIB));
    DeviceLedger alone = granted(observed("0", 10 * GIB), "a", gpus(1));

    assertThat(told(decide(sharing, "b", gpus(1)))).isEqualTo("NOT_NOW");
    assertThat(told(decide(alone, "b", shared(GIB)))).isEqualTo("NOT_NOW");
  }

  @Test
  void anExclusiveJobWithAFigureNeedsThatMuchFree() {
    DeviceLedger ledger = observed("0", 3 * GIB);

    assertThat(told(decide(ledger, "a", exclusiveWith(4 * GIB)))).isEqualTo("NOT_NOW");
    assertThat(told(decide(ledger, "a", exclusiveWith(3 * GIB)))).isEqualTo("0");
  }

  private static DeviceLedger observed(String device, long free) {
    return DeviceLedger.of(host(0, device)).observe(device, reading(free, Map.of()));
  }

  private static DeviceReading reading(long free, Map<String, Long> used) {
    return new DeviceReading(free, used);
  }
}
