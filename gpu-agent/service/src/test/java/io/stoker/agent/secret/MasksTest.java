package io.stoker.agent.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MasksTest {
  private final Masks masks = new Masks(List.of(bytes("s3cr3t"), bytes("s3cr3t-long")));

  @Test
  void hide_aSecretInAText_putsAStarForEachOfItsBytes() {
    byte[] text = bytes("a s3cr3t, s3cr3ts3cr3t; s3cr3t-long.");

    assertThat(masks.hide(text, text.length, false)).isEqualTo(text.length);
    assertThat(text).asString().isEqualTo("a ******, ************; ***********.");
  }

  @Test
  void hide_whatMayBeTheBeginningOfOne_waitsForWhatFollows() {
    byte[] text = bytes("token s3cr");

    assertThat(masks.hide(text, text.length, true)).isEqualTo("token ".length());
    assertThat(masks.hide(text, text.length, false)).isEqualTo(text.length);
    assertThat(text).asString().isEqualTo("token s3cr");
  }

  @Test
  void hide_anywhereItIsCutInTwo_showsNoneOfIt() {
    byte[] all = bytes("x s3cr3t-long y");
    for (int cut = 0; cut <= all.length; cut++) {
      StringBuilder shown = new StringBuilder();
      int from = 0;
      for (int to : new int[] {cut, all.length}) {
        byte[] piece = Arrays.copyOfRange(all, from, to);
        int length = masks.hide(piece, piece.length, to < all.length);
        shown.append(new String(piece, 0, length, StandardCharsets.UTF_8));
        from += length;
      }
      assertThat(shown).as("cut at %d", cut).hasToString("x *********** y");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
