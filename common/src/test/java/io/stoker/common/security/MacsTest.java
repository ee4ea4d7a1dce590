package io.stoker.common.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage.Goodbye;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MacsTest {
  private static final byte[] KEY = "Jefe".getBytes(StandardCharsets.US_ASCII);
  private static final Goodbye GOODBYE = new Goodbye("host-1", 7, null);

  @Test
  void isTheHmacOfTheCanonicalMessage() {
    // printf '{"epoch":7,"host":"host-1","type":"goodbye"}' | openssl dgst -sha256 -hmac Jefe
    assertThat(Macs.sign(KEY, GOODBYE))
        .isEqualTo("45e47c4351d46f65e679ab9a647ec2f0ee0838295ad33257d7b60815dd7f5975");
  }

  @Test
  void knowsTheTestVectorOfRfc4231() {
    assertThat(HexFormat.of().formatHex(Macs.hostKey(KEY, "what do ya want for nothing?")))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }

  @Test
  void verifiesWhatItSigned() throws Exception {
    ObjectNode received = signed();
    assertThat(Macs.verify(KEY, received)).isTrue();
    assertThat(received.has("mac")).as("the message is left as it came").isTrue();
    assertThat(Macs.verify("other".getBytes(StandardCharsets.US_ASCII), received)).isFalse();
  }

  @Test
  void aSignedMessageSignsAlike() {
    Goodbye again = new Goodbye("host-1", 7, "0123");
    assertThat(Macs.sign(KEY, again)).isEqualTo(Macs.sign(KEY, GOODBYE));
  }

  @Test
  void survivesTheWayThroughJsonWithAnyResult() throws Exception {
    JsonNode result = Json.read("{\"z\": [1.0, 1e-7, -0.0, null, 1e300], \"é\": \"\\n😀\"}");
    AttemptEvent event =
        AttemptEvent.of("j", 1)
            .seq(4)
            .type(AttemptEvent.Type.ENDED)
            .at(5)
            .devices(List.of("0"))
            .startedAt(4L)
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .exitCode(0)
            .result(result)
            .build();
    AttemptEvent signed = event.signed(Macs.sign(KEY, event));
    JsonNode received = Json.read(Json.bytes(signed));
    assertThat(Macs.verify(KEY, received)).isTrue();
    assertThat(Macs.sign(KEY, Json.read(received, AttemptEvent.class))).isEqualTo(signed.mac());
  }

  @Test
  void anyChangeBreaksIt() throws Exception {
    assertThat(Macs.verify(KEY, signed().put("epoch", 8))).isFalse();
    assertThat(Macs.verify(KEY, signed().put("host", "host-2"))).isFalse();
    assertThat(Macs.verify(KEY, signed().put("extra", true))).isFalse();
    assertThat(Macs.verify(KEY, signed().without("host"))).isFalse();
  }

  @Test
  void coversFieldsOfANewerSender() throws Exception {
    ObjectNode newer = signed().put("extra", true).without("mac");
    newer.put("mac", Macs.sign(KEY, newer));
    assertThat(Macs.verify(KEY, newer)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"mac\": null}", "{\"mac\": 5}", "{\"mac\": \"\"}", "[]", "null"})
  void whatCarriesNoCodeIsNotVerified(String message) throws Exception {
    assertThat(Macs.verify(KEY, Json.read(message))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"n\": 1e400, \"mac\": \"\"}", "{\"s\": \"\\ud800\", \"mac\": \"none\"}"})
  void whatHasNoCanonicalFormIsNotVerified(String message) throws Exception {
    assertThat(Macs.verify(KEY, Json.read(message))).isFalse();
  }

  @Test
  void refusesAnEmptyKey() {
    assertThatIllegalArgumentException().isThrownBy(() -> Macs.sign(new byte[0], GOODBYE));
  }

  private static ObjectNode signed() throws Exception {
    Goodbye signed = new Goodbye("host-1", 7, Macs.sign(KEY, GOODBYE));
    return (ObjectNode) Json.read(Json.bytes(signed));
  }

  @Test
  void aSealedRecordIsStillOneAndAnyOtherByteBreaksTheSeal() throws Exception {
    byte[] record = "{\"v\":1,\"host\":\"host-1\"}".getBytes(StandardCharsets.US_ASCII);

    byte[] sealed = Macs.seal(KEY, record);

    // printf '{"v":1,"host":"host-1"' | openssl dgst -sha256 -hmac Jefe
    assertThat(Json.read(sealed).path("mac").asText())
        .isEqualTo("6555a393fdcdb3732aa02c34a8dbe7e695acfd9d6d9f48f02e16fa0c138ebedd");
    assertThat(Json.read(sealed).path("host").asText()).isEqualTo("host-1");
    assertThat(Macs.sealed(KEY, sealed)).isTrue();
    assertThat(Macs.sealed("other".getBytes(StandardCharsets.US_ASCII), sealed)).isFalse();
    for (int i = 0; i < sealed.length; i++) {
      byte[] other = sealed.clone();
      other[i] ^= 1;
      assertThat(Macs.sealed(KEY, other)).as("byte %d", i).isFalse();
    }
    assertThat(Macs.sealed(KEY, record)).isFalse();
    assertThat(Macs.sealed(KEY, new byte[0])).isFalse();
  }

  @Test
  void aProofIsOfOneEventAndOneTokenAlone() {
    AttemptEvent event =
        AttemptEvent.of("j", 1).seq(4).type(AttemptEvent.Type.PROGRESS).at(5).build();
    ObjectNode proven = (ObjectNode) Json.tree(event.proven(KEY));

    assertThat(proven.path("mac").asText()).hasSize(32);
    assertThat(Macs.proves(KEY, proven)).isTrue();
    assertThat(Macs.proves("other".getBytes(StandardCharsets.US_ASCII), proven)).isFalse();
    assertThat(Macs.verify(KEY, proven)).as("no code of the event").isFalse();
    assertThat(Macs.proves(KEY, Json.tree(event.signed(Macs.sign(KEY, event))))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("job", "k"))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("attempt", 2))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("seq", 5))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("type", "ENDED"))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("outcome", "SUCCEEDED"))).isFalse();
    assertThat(Macs.proves(KEY, proven.deepCopy().put("at", 9)))
        .as("it is no code of all")
        .isTrue();
    proven.remove("mac");
    assertThat(Macs.proves(KEY, proven)).isFalse();
  }
}
