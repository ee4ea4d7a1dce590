package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | ''",
        "'0' | '0'",
        "' 0-3,8\n' | '0-3,8'",
        "'5,4,0-1' | '0-1,4-5'",
        "'63-64,4095' | '63-64,4095'",
      })
  void listsAreTheKernels(String list, String text) {
    assertThat(CpuSet.parse(list)).hasToString(text).isEqualTo(CpuSet.parse(text));
  }

  @Test
  void masksBeginWithTheLowest() {
    CpuSet cpus = CpuSet.of(new long[] {0xf0, 0x3, 0});
    assertThat(cpus).hasToString("4-7,64-65");
    assertThat(cpus.mask(4)).containsExactly(0xf0, 0x3, 0, 0);
    assertThat(cpus.mask(1)).containsExactly(0xf0);
  }

  @Test
  void theyAreJoinedAndCut() {
    CpuSet one = CpuSet.parse("0-3");
    CpuSet other = CpuSet.parse("2-5");
    assertThat(one.or(other)).hasToString("0-5");
    assertThat(one.and(other)).hasToString("2-3");
    assertThat(one.and(CpuSet.parse("9")).isEmpty()).isTrue();
    assertThat(one).as("as it was").hasToString("0-3");
  }

  @Test
  void whatIsNoListIsRefused() {
    assertThatThrownBy(() -> CpuSet.parse("all")).isInstanceOf(IllegalArgumentException.class);
  }
}
