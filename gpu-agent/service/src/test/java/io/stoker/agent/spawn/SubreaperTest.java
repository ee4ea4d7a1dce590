package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubreaperTest {

  /**
   * As {@code wait(2)} packs them: the code in the second byte, or the signal and a core's flag.
   */
  @ParameterizedTest
  @CsvSource({"0x0000, 0", "0x0700, 7", "0xff00, 255", "0x0009, 137", "0x000f, 143", "0x008b, 139"})
  void exitCodesAreAsAShellGivesThem(int status, int code) {
    assertThat(Subreaper.exitCode(status)).isEqualTo(code);
  }
}
