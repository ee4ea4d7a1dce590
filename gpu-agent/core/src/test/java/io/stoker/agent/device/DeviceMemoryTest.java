package io.stoker.agent.device;

import static io.stoker.agent.device.Demand.gpus;
import static io.stoker.agent.device.Demand.shared;
import static io.stoker.agent.device.Demands.exclusiveWith;
import static io.stoker.agent.device.Hosts.GIB;
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
    DeviceBooks books = DeviceBooks.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    books = granted(books, "a", shared(6 * GIB));
    assertThat(books.headroom("0")).hasValue(4 * GIB);
    assertThat(told(books.allocate("b", shared(4 * GIB + 1)))).isEqualTo("NOT_NOW");

    books = granted(books, "b", shared(4 * GIB));

    assertThat(books.headroom("0")).hasValue(0);
    assertThat(told(books.allocate("c", shared(1)))).isEqualTo("NOT_NOW");
  }

  @Test
  void memoryThatShowsIsNoLongerCountedAsPromised() {
    DeviceBooks books = DeviceBooks.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    books = granted(books, "a", shared(6 * GIB));

    books = books.observe("0", reading(6 * GIB, Map.of("a", 4 * GIB)));
    assertThat(books.headroom("0")).as("2 GiB are still to come").hasValue(4 * GIB);

    books = books.observe("0", reading(3 * GIB, Map.of("a", 7 * GIB)));
    assertThat(books.headroom("0")).as("it took more than it was promised").hasValue(3 * GIB);
  }

  @Test
  void memoryTakenByStrangersIsNotPromised() {
    DeviceBooks books = granted(observed("0", 10 * GIB), "a", shared(6 * GIB));

    DeviceBooks invaded = books.observe("0", reading(5 * GIB, Map.of()));

    assertThat(invaded.headroom("0")).hasValue(-GIB);
    assertThat(told(invaded.allocate("b", shared(0)))).isEqualTo("NOT_NOW");
  }

  @Test
  void aSharedJobGoesToTheFirstDeviceWithRoom() {
    DeviceBooks books =
        DeviceBooks.of(host(0, "0", "1"))
            .observe("0", reading(2 * GIB, Map.of()))
            .observe("1", reading(8 * GIB, Map.of()));

    assertThat(told(books.allocate("a", shared(4 * GIB)))).isEqualTo("1");
    assertThat(told(books.allocate("a", shared(GIB)))).isEqualTo("0");
  }

  @Test
  void exclusiveAndSharedJobsDoNotMeet() {
    DeviceBooks sharing = granted(observed("0", 10 * GIB), "a", shared(GIB));
    DeviceBooks alone = granted(observed("0", 10 * GIB), "a", gpus(1));

    assertThat(told(sharing.allocate("b", gpus(1)))).isEqualTo("NOT_NOW");
    assertThat(told(alone.allocate("b", shared(GIB)))).isEqualTo("NOT_NOW");
  }

  @Test
  void anExclusiveJobWithAFigureNeedsThatMuchFree() {
    DeviceBooks books = observed("0", 3 * GIB);

    assertThat(told(books.allocate("a", exclusiveWith(4 * GIB)))).isEqualTo("NOT_NOW");
    assertThat(told(books.allocate("a", exclusiveWith(3 * GIB)))).isEqualTo("0");
  }

  private static DeviceBooks observed(String device, long free) {
    return DeviceBooks.of(host(0, device)).observe(device, reading(free, Map.of()));
  }

  private static DeviceReading reading(long free, Map<String, Long> used) {
    return new DeviceReading(free, used);
  }
}
