package io.stoker.dispatcher.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.common.json.Json;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.lease.HostKeyBook;
import io.stoker.dispatcher.ledger.HostKey;
import io.stoker.dispatcher.service.config.HostKeys.Proof;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What was signed with a revoked key proves nothing, whenever it comes. */
class HostKeysTest {
  private static final String SECRET = "00112233445566778899aabbccddeeff";
  private static final HostKey USED = HostKey.NONE.welcomed(true);

  private final HostKeyBook book = new HostKeyBook();
  private final HostKeys keys =
      HostKeys.of(
          new SmallRyeConfigBuilder()
              .withSources(
                  new PropertiesConfigSource(Map.of("stoker.host-secret", SECRET), "test", 1))
              .build(),
          book);

  @Test
  void heartbeatAndEvents_ofARevokedKey_areRefusedAgain() {
    JsonNode said = said("h1", 0);
    byte[] reported = reported("h1", 0);
    assertThat(keys.proof("h1", said)).isEqualTo(Proof.SIGNED);
    assertThat(keys.sealed("h1", reported)).isTrue();

    book.read(Map.of("h1", USED.revoked(0)), 0);

    assertThat(keys.proof("h1", said)).isEqualTo(Proof.REFUSED);
    assertThat(keys.sealed("h1", reported)).isFalse();
    assertThat(keys.proof("h1", said("h1", 1))).isEqualTo(Proof.SIGNED);
    assertThat(keys.sealed("h1", reported("h1", 1))).isTrue();
  }

  @Test
  void aKey_provesNothingOfAnotherHost() {
    JsonNode stolen = Macs.signed(key("h1", 0), new HostMessage.Goodbye("h2", 1, null));

    assertThat(keys.proof("h2", stolen)).isEqualTo(Proof.REFUSED);
    assertThat(keys.proof("h2", said("h2", 0))).isEqualTo(Proof.SIGNED);
  }

  @Test
  void bothKeys_areTakenAsLongAsTheyOverlap() {
    book.read(Map.of("h1", USED.rotated(1, 10)), 9);
    assertThat(keys.proof("h1", said("h1", 0))).isEqualTo(Proof.SIGNED);
    assertThat(keys.sealed("h1", reported("h1", 1))).isTrue();

    book.read(Map.of("h1", USED.rotated(1, 10)), 10);
    assertThat(keys.proof("h1", said("h1", 0))).isEqualTo(Proof.REFUSED);
  }

  private static JsonNode said(String host, int generation) {
    return Macs.signed(key(host, generation), new HostMessage.Goodbye(host, 1, null));
  }

  private static byte[] reported(String host, int generation) {
    return Macs.seal(key(host, generation), Json.bytes(new EventsRecord(host, 1, List.of())));
  }

  private static byte[] key(String host, int generation) {
    return Macs.hostKey(HexFormat.of().parseHex(SECRET), host, generation);
  }
}
