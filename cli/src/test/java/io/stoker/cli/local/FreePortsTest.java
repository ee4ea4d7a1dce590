package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FreePortsTest {
  private final Set<Integer> inUse = new HashSet<>();
  private final FreePorts ports =
      new FreePorts(new Random(42), 10_010, port -> !inUse.contains(port), new HashSet<>());

  @Test
  void givesEachNameAPortOfItsOwn() {
    Map<String, Integer> chosen =
        ports.choose(Map.of(), List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"));

    assertThat(new HashSet<>(chosen.values())).hasSize(10);
    assertThat(chosen.values()).allMatch(port -> port >= 10_000 && port < 10_010);
  }

  /** Neither listens yet. */
  @Test
  void givesTwoStacksThatStartTogetherOtherPorts() {
    List<String> names = List.of("a", "b", "c", "d", "e");

    Set<Integer> chosen = new HashSet<>(ports.choose(Map.of(), names).values());
    chosen.addAll(ports.choose(Map.of(), names).values());

    assertThat(chosen).hasSize(10);
  }

  @Test
  void keepsRememberedPorts() {
    Map<String, Integer> chosen = ports.choose(Map.of("a", 10_003, "gone", 10_004), List.of("a"));

    assertThat(chosen).containsEntry("a", 10_003).containsEntry("gone", 10_004);
  }

  @Test
  void givesUpARememberedPortWhereSomebodyElseListens() {
    inUse.add(10_003);

    Map<String, Integer> chosen = ports.choose(Map.of("a", 10_003), List.of("a"));

    assertThat(chosen.get("a")).isNotEqualTo(10_003);
  }

  @Test
  void seesWhoListensOnThisMachine() throws IOException {
    FreePorts here = FreePorts.onThisMachine();
    int port = here.choose(Map.of(), List.of("a")).get("a");

    try (ServerSocket other = new ServerSocket()) {
      other.bind(new InetSocketAddress("127.0.0.1", port));
      assertThat(here.choose(Map.of("a", port), List.of("a")).get("a")).isNotEqualTo(port);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'32768\t60999\n', 32768",
    "'49152 65535', 49152",
    "'1024 65535', 32768",
    "'', 32768"
  })
  void staysBelowThePortsOfOutgoingConnections(String kernelRange, int end) {
    assertThat(FreePorts.endOf(kernelRange)).isEqualTo(end);
  }
}
