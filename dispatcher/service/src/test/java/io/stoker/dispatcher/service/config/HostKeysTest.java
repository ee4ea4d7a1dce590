package io.stoker.dispatcher.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.common.json.Json;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.service.config.HostKeys.Proof;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was signed with a revoked key proves nothing, whenever it comes. */
class HostKeysTest {
  private static final String SECRET = "00112233445566778899aabbccddeeff";
  private static final HostKey USED = HostKey.NONE.welcomed(true);

  private final HostKeyBook book = new HostKeyBook();
  private final HostKeys keys = keys(Map.of("stoker.host-secret", SECRET));

  private HostKeys keys(Map<String, String> configured) {
    return HostKeys.of(
        new SmallRyeConfigBuilder()
            .withSources(new PropertiesConfigSource(configured, "test", 1))
            .build(),
        book);
  }

  @ParameterizedTest
  @ValueSource(strings = {"required", "once-used"})
  void keysThatAreDemanded_withoutASecretToCheckThemBy_areRefusedAtTheStart(String demanded) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> keys(Map.of("stoker.host-keys", demanded)))
        .withMessageContainingAll(
            "stoker.host-keys is " + demanded,
            "stoker.host-secret is not set",
            "leave stoker.host-keys out");
  }

  @Test
  void aSecretThatIsNoHex_isRefusedAtTheStart_andNotSaid() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> keys(Map.of("stoker.host-secret", "very-secret")))
        .withMessage("stoker.host-secret is no hex, expected pairs of 0-9 a-f");
  }

  @Test
  void withoutASecret_whereNoKeyIsDemanded_hostsAreBelieved() {
    for (Map<String, String> configured :
        List.of(Map.<String, String>of(), Map.of("stoker.host-keys", "off"))) {
      assertThat(keys(configured).proof("h1", said("h1", 0))).isEqualTo(Proof.NONE);
    }
  }

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

  @Test
  void believesOutput_isOfTheHostsKeyAlone_forWhatWasPlacedSinceItSigns() {
    byte[] unsigned = Json.bytes(chunk());
    assertThat(keys.believesOutput("h1", 5, unsigned)).as("it does not sign").isTrue();

    book.read(Map.of("h1", USED.signingOutput(true, 5)), 0);

    assertThat(keys.believesOutput("h1", 5, piece("h1", 0))).isTrue();
    assertThat(keys.believesOutput("h1", 5, piece("h2", 0))).isFalse();
    assertThat(keys.believesOutput("h1", 5, unsigned)).isFalse();
    assertThat(keys.believesOutput("h1", 4, unsigned)).isTrue();
    assertThat(keys.believesOutput("h2", 5, unsigned)).isTrue();
  }

  @Test
  void believesOutput_ofAKeyThatWasRotated_stays_andOfOneThatWasRevokedDoesNot() {
    HostKey rotated = USED.signingOutput(true, 5).rotated(1, 10).rotated(2, 20);
    book.read(Map.of("h1", rotated), 30);
    assertThat(keys.believesOutput("h1", 5, piece("h1", 0))).isTrue();
    assertThat(keys.believesOutput("h1", 5, piece("h1", 2))).isTrue();
    assertThat(keys.proof("h1", said("h1", 1))).isEqualTo(Proof.REFUSED);

    book.read(Map.of("h1", rotated.revoked(0)), 15);
    assertThat(keys.believesOutput("h1", 5, piece("h1", 0))).isFalse();
    assertThat(keys.believesOutput("h1", 5, piece("h1", 1))).isTrue();
    assertThat(keys.proof("h1", said("h1", 1))).as("it overlaps still").isEqualTo(Proof.SIGNED);

    book.read(Map.of("h1", rotated.revoked(2)), 15);
    assertThat(keys.believesOutput("h1", 5, piece("h1", 2))).isFalse();
    assertThat(keys.believesOutput("h1", 5, piece("h1", 3))).isTrue();
  }

  private static LogChunk chunk() {
    return new LogChunk(new Source("j", 1, null, "h1", "r"), "stdout", 0, 0, "text", false, false);
  }

  private static byte[] piece(String host, int generation) {
    return Macs.seal(key(host, generation), Json.bytes(chunk()));
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
