package io.stoker.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text of others becomes text that everybody can keep. */
class PlainTextTest {
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
  private static final String HALF = "\ud83d";

  @Test
  void whatCannotBeKeptIsShownAsItsCode() {
    assertThat(PlainText.of("a\0b\ud800c\n\t😀é\u001b[1m\u007f\u0085"))
        .isEqualTo("a\\u0000b\\ud800c\n\t😀é\\u001b[1m\\u007f\\u0085");
    assertThat(PlainText.of("\udc00\ud83d")).isEqualTo("\\udc00\\ud83d");
  }

  @Test
  void plainTextStaysTheSameObject() {
    String text = "exit code 1: 😀";
    assertThat(PlainText.of(text, 500)).isSameAs(text);
    assertThat(PlainText.of((String) null)).isNull();
    Map<String, String> labels = Map.of("a", "b");
    assertThat(PlainText.of(labels)).isSameAs(labels);
  }

  @Test
  void namesAndValuesOfLabelsAreMadePlain() {
    assertThat(PlainText.of(Map.of("a\0", "b" + HALF)))
        .containsExactly(Map.entry("a\\u0000", "b\\ud83d"));
    assertThat(PlainText.of(List.of("ok", "\1"))).containsExactly("ok", "\\u0001");
  }

  @ParameterizedTest
  @ValueSource(ints = {499, 500, 501, 502})
  void aCharacterIsNeverCutInHalf(int before) {
    String cut = PlainText.of("x".repeat(before) + "😀😀", 500);
    assertThat(cut).startsWith("x".repeat(Math.min(before, 500)));
    assertThat(cut.codePointCount(0, cut.length())).isLessThanOrEqualTo(501);
    assertThat(JsonRules.storable(TextNode.valueOf(cut))).isTrue();
  }

  @Test
  void whatFitsIsNotCut() {
    assertThat(PlainText.of("x".repeat(499) + "😀", 500)).isEqualTo("x".repeat(499) + "😀");
    assertThat(PlainText.of("x".repeat(501), 500)).isEqualTo("x".repeat(500) + "…");
    assertThat(PlainText.of("\0\0", 11)).as("a code is not cut either").isEqualTo("\\u0000…");
  }

  @Test
  void whatHasPassedOnceStaysAsItIs() {
    Random random = new Random(14);
    for (int i = 0; i < 2_000; i++) {
      String once = PlainText.of(text(random), 40);
      assertThat(PlainText.of(once, 40)).isEqualTo(once);
      assertThat(JsonRules.storable(TextNode.valueOf(once))).isTrue();
    }
  }

  /** Any UTF-16 code units, halves of pairs and control characters among them. */
  private static String text(Random random) {
    char[] chars = new char[random.nextInt(60)];
    for (int i = 0; i < chars.length; i++) {
      chars[i] =
          switch (random.nextInt(4)) {
            case 0 -> (char) random.nextInt(32);
            case 1 -> (char) (0xD800 + random.nextInt(0x800));
            case 2 -> (char) random.nextInt(0x10000);
            default -> 'x';
          };
    }
    return new String(chars);
  }

  @Test
  void outputKeepsAllButHalvesOfPairs() {
    assertThat(PlainText.wellFormed("a\0\u001b" + HALF)).isEqualTo("a\0\u001b\ufffd");
  }

  @Test
  void anEventCanBeSignedWhateverItsTextsAre() throws MalformedJson {
    AttemptEvent event = event("x".repeat(5_000) + "\0");
    assertThat(event.message()).hasSize(PlainText.LONGEST + 1);
    AttemptEvent signed = event.signed(Macs.sign(KEY, event));
    assertThat(Macs.verify(KEY, Json.read(Json.bytes(signed)))).isTrue();
    assertThat(event("a\0" + HALF).message()).isEqualTo("a\\u0000\\ud83d");
    assertThat(new DeviceInfo("0", "u", "H200\0", 1, null).model()).isEqualTo("H200\\u0000");
  }

  @Test
  void anEventOfAnEarlierVersionIsPlainOnceItIsRead() throws MalformedJson {
    String json =
        """
        {"job":"j","attempt":1,"seq":1,"type":"ENDED","at":1,"outcome":"FAILED","category":"APP",
        "message":"exit code 1: a\\u0000b\\ud83d","devices":["\\u0000"]}\
        """;
    AttemptEvent read = Json.read(json.getBytes(StandardCharsets.UTF_8), AttemptEvent.class);
    assertThat(read.message()).isEqualTo("exit code 1: a\\u0000b\\ud83d");
    assertThat(read.devices()).containsExactly("\\u0000");
  }

  private static AttemptEvent event(String message) {
    return AttemptEvent.of("j", 1)
        .type(Type.ENDED)
        .at(1)
        .devices(List.of())
        .outcome(Outcome.FAILED)
        .category(FailureCategory.APP)
        .message(message)
        .exitCode(1)
        .build();
  }
}
