package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceMaskTest {

  @Test
  void withoutItThereIsNoList() {
    assertThat(DeviceMask.list(Map.of("NVIDIA_VISIBLE_DEVICES", "1"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'2,0' | '2,0'",
        "' 2 , GPU-0a-1 ,MIG-7' | '2,GPU-0a-1,MIG-7'",
        "'' | ''",
        "'-1' | ''",
        "'NoDevFiles' | ''",
        "'1,-1,2' | '1'",
        "'1,,2' | '1'",
      })
  void itIsReadAsCudaReadsIt(String mask, String list) {
    assertThat(DeviceMask.list(Map.of("CUDA_VISIBLE_DEVICES", mask))).contains(list);
  }
}
