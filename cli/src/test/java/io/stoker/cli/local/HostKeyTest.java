package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class HostKeyTest {
  /** Test case 2 of RFC 4231. */
  @Test
  void isTheHmacOfTheNameUnderTheSecret() {
    String secret = HexFormat.of().formatHex("Jefe".getBytes(StandardCharsets.US_ASCII));

    assertThat(HostKey.derive(secret, "what do ya want for nothing?"))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }
}
