package io.stoker.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds, at them and beside them. */
class GatesTest {
  private static final long GB = 1_000_000_000;
  private final Gates gates = new Gates(GateRules.DEFAULT);

  private static boolean open(Optional<Refusal> refusal) {
    return refusal.isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, true", "79.99, true", "80, false", "100, false"})
  void theCpuIsStrictlyBelowItsLimit(double percent, boolean open) {
    assertThat(open(gates.cpu(new HostLoad(percent, 1, 1)))).isEqualTo(open);
  }

  @ParameterizedTest
  @CsvSource({
    // of 100 GB, 20 must be left
    "100, 22, 0, 2, true",
    "100, 21, 0, 2, false",
    "100, 30, 8, 2, true",
    "100, 30, 9, 2, false",
    // of 10 GB, 20 % is less than the 4 GB that must remain
    "10, 6, 0, 2, true",
    "10, 5, 0, 2, false",
    "10, 1, 0, 2, false",
  })
  void hostMemory(long total, long free, long granted, long required, boolean open) {
    HostLoad load = new HostLoad(0, total * GB, free * GB);
    assertThat(open(gates.memory(load, granted * GB, required * GB, false))).isEqualTo(open);
  }

  @ParameterizedTest
  @CsvSource({
    "16, 8, 4, true",
    "16, 7, 4, false",
    "8, 4, 2, true",
    "8, 3, 2, false",
    "8, 1, 2, false"
  })
  void gpuMemory(long total, long free, long required, boolean open) {
    assertThat(open(gates.gpuMemory("0", total * GB, free * GB, required * GB, false)))
        .isEqualTo(open);
  }

  @Test
  void aByteBelowABoundIsTooLittle() {
    assertThat(open(gates.gpuMemory("0", 8 * GB, 4 * GB, 2 * GB, false))).isTrue();
    assertThat(open(gates.gpuMemory("0", 8 * GB, 4 * GB - 1, 2 * GB, false))).isFalse();
    assertThat(open(gates.gpuMemory("0", 100 * GB, 22 * GB, 2 * GB, false))).isTrue();
    assertThat(open(gates.gpuMemory("0", 100 * GB, 22 * GB - 1, 2 * GB, false))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "9, 0, ",
    "10, 0, MAX_WAITING",
    "9, 10, ",
    "9, 11, MAX_PROCESS",
    "0, 20, MAX_PROCESS",
  })
  void starts(int waiting, int training, Gate refused) {
    assertThat(gates.start(waiting, training).map(Refusal::gate))
        .isEqualTo(Optional.ofNullable(refused));
  }

  @Test
  void zeroIsNoLimit() {
    GateRules.Limit none = new GateRules.Limit(BigDecimal.ONE, 0);
    GateRules any = new GateRules(0, 0, 1, 1, false, BigDecimal.ONE, none, none);
    assertThat(open(new Gates(any).start(1_000, 1_000))).isTrue();
  }

  @Test
  void refusalsHaveFigures() {
    assertThat(gates.cpu(new HostLoad(93.25, 1, 1)).orElseThrow().sentence())
        .isEqualTo("the host's CPU is 93.3 % busy; expected below 80 %");
    assertThat(gates.gpuMemory("1", 8 * GB, 3 * GB, 2 * GB, false).orElseThrow())
        .isEqualTo(
            new Refusal(
                Gate.GPU_MEMORY,
                "memory of device 1: 3000000000 bytes free less 2000000000 required leave"
                    + " 1000000000; expected 1600000000.0 or more, 1 - 0.8 of 8000000000"));
    assertThat(gates.start(10, 0).orElseThrow().sentence())
        .isEqualTo("10 processes wait, of at most 10");
  }
}
