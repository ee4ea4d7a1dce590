package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Meeting;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RendezvousPortsTest {
  private static final AttemptKey FIRST = new AttemptKey("first", 1);
  private static final AttemptKey SECOND = new AttemptKey("second", 1);

  /** Below where the kernel looks for ports of its own accord. */
  private static final PortRange MANY = new PortRange(10_000, 19_999);

  private final RendezvousPorts ports =
      new RendezvousPorts(MANY, ThreadLocalRandom.current().nextInt(MANY.size()));

  @AfterEach
  void giveAllBack() {
    ports.keep(Map.of());
  }

  private static void bind(int port) throws IOException {
    try (ServerSocket other = new ServerSocket()) {
      other.setReuseAddress(true);
      other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
  }

  @Test
  void nobodyElseGetsAPortUntilItsProcessIsStarted() throws Exception {
    int port = ports.give(FIRST).orElseThrow();
    assertThat(port).isBetween(MANY.from(), MANY.to());
    assertThatThrownBy(() -> bind(port)).isInstanceOf(BindException.class);
    ports.vacate(FIRST);
    bind(port);
  }

  @Test
  void aPortIsOneGangsAloneAlsoWhileNobodyHasBoundIt() {
    OptionalInt mine = ports.give(FIRST);
    PortRange one = new PortRange(mine.getAsInt(), mine.getAsInt());
    ports.keep(Map.of());
    RendezvousPorts narrow = new RendezvousPorts(one, 0);
    try {
      assertThat(narrow.give(FIRST)).isEqualTo(mine);
      narrow.vacate(FIRST);
      assertThat(narrow.give(SECOND)).as("the only one is taken").isEmpty();
      narrow.keep(Map.of());
      assertThat(narrow.give(SECOND)).as("its attempt has ended").isEqualTo(mine);
    } finally {
      narrow.keep(Map.of());
    }
  }

  @Test
  void whoIsAskedTwiceSaysTheSame() {
    OptionalInt port = ports.give(FIRST);
    assertThat(ports.give(FIRST)).isEqualTo(port);
    ports.vacate(FIRST);
    assertThat(ports.give(FIRST)).isEqualTo(port);
    assertThat(ports.give(SECOND)).isNotEqualTo(port);
  }

  @Test
  void onesThatOthersHaveAreLeftOut() throws Exception {
    int free = ports.give(FIRST).orElseThrow();
    int taken = ports.give(SECOND).orElseThrow();
    ports.keep(Map.of());
    try (ServerSocket other = new ServerSocket(taken)) {
      RendezvousPorts two =
          new RendezvousPorts(new PortRange(Math.min(free, taken), Math.max(free, taken)), 0);
      for (int i = 0; i <= Math.abs(free - taken); i++) {
        two.give(new AttemptKey("job-" + i, 1))
            .ifPresent(port -> assertThat(port).isNotEqualTo(other.getLocalPort()));
      }
      two.keep(Map.of());
    }
  }

  @Test
  void oneThatIsGivenBackIsNotTheNextToBeGiven() {
    OptionalInt port = ports.give(FIRST);
    ports.keep(Map.of());
    assertThat(ports.give(SECOND)).isNotEqualTo(port);
  }

  @Test
  void theNextAgentKnowsWhatAnEarlierOneGave() throws Exception {
    int begun = ports.give(FIRST).orElseThrow();
    int waiting = ports.give(SECOND).orElseThrow();
    ports.keep(Map.of());
    ports.keep(Map.of(FIRST, new Meeting(begun, true), SECOND, new Meeting(waiting, false)));

    bind(begun); // as its process may have
    assertThatThrownBy(() -> bind(waiting)).isInstanceOf(BindException.class);
    assertThat(ports.give(FIRST)).hasValue(begun);
    assertThat(ports.give(SECOND)).hasValue(waiting);
  }

  @Test
  void whatIsKeptStaysAsItIs() {
    int port = ports.give(FIRST).orElseThrow();
    ports.keep(Map.of(FIRST, new Meeting(port, false)));
    assertThatThrownBy(() -> bind(port)).isInstanceOf(BindException.class);
    assertThat(ports.any()).isTrue();
    ports.keep(Map.of());
    assertThat(ports.any()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"20000-29999, 20000, 29999", "' 1 - 65535 ', 1, 65535", "4000-4000, 4000, 4000"})
  void aRangeIsRead(String text, int from, int to) {
    assertThat(PortRange.parse(text)).isEqualTo(new PortRange(from, to));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4000", "0-10", "10-9", "1-65536", "a-b", "1-2-3"})
  void whatIsNoRangeIsRefused(String text) {
    assertThatThrownBy(() -> PortRange.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected FROM-TO");
  }
}
