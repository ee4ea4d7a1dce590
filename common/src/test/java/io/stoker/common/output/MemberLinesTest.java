package io.stoker.common.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberLinesTest {
  private final MemberLines lines = new MemberLines();

  private static LogChunk chunk(int rank, String text) {
    return chunk(rank, "stdout", text, false);
  }

  private static LogChunk chunk(int rank, String stream, String text, boolean last) {
    String host = rank == 0 ? "a" : "b";
    return chunk(new Source("job", 1, rank, host, "request"), stream, text, last);
  }

  private static LogChunk chunk(Source of, String stream, String text, boolean last) {
    return new LogChunk(of, stream, 0, 0, text, last, false);
  }

  private String out(LogChunk chunk) {
    return text(lines.take(chunk), "stdout");
  }

  private static String text(List<MemberLines.Shown> shown, String stream) {
    StringBuilder text = new StringBuilder();
    shown.stream()
        .filter(one -> one.stream().equals(stream))
        .forEach(one -> text.append(one.text()));
    return text.toString();
  }

  @Test
  void eachLineSaysWhoseItIs() {
    assertThat(out(chunk(0, "one\ntwo\n"))).isEqualTo("[0 a] one\n[0 a] two\n");
    assertThat(out(chunk(1, "\nthree\n"))).isEqualTo("[1 b] \n[1 b] three\n");
  }

  @Test
  void aLineThatWasCutIsNotMixedWithAnothers() {
    assertThat(out(chunk(0, "first\nhal"))).isEqualTo("[0 a] first\n");
    assertThat(out(chunk(1, "whole\nhalf"))).isEqualTo("[1 b] whole\n");
    assertThat(out(chunk(0, "f"))).isEmpty();
    assertThat(out(chunk(0, "\n"))).isEqualTo("[0 a] half\n");
    assertThat(out(chunk(1, " again\nrest"))).isEqualTo("[1 b] half again\n");
    assertThat(text(lines.rest(), "stdout")).isEqualTo("[1 b] rest\n");
    assertThat(lines.rest()).isEmpty();
  }

  @Test
  void theStreamsOfAMemberAreCutEachByItself() {
    assertThat(lines.take(chunk(0, "stderr", "oh ", false))).isEmpty();
    assertThat(out(chunk(0, "said\n"))).isEqualTo("[0 a] said\n");
    assertThat(text(lines.take(chunk(0, "stderr", "dear\n", false)), "stderr"))
        .isEqualTo("[0 a] oh dear\n");
  }

  @Test
  void theLastChunkOfAMemberEndsBothItsLines() {
    lines.take(chunk(0, "stdout", "out", false));
    lines.take(chunk(0, "stderr", "err", false));
    lines.take(chunk(1, "stdout", "goes on", false));

    List<MemberLines.Shown> shown = lines.take(chunk(0, "stdout", "", true));

    assertThat(text(shown, "stdout")).isEqualTo("[0 a] out\n");
    assertThat(text(shown, "stderr")).isEqualTo("[0 a] err\n");
    assertThat(text(lines.rest(), "stdout")).isEqualTo("[1 b] goes on\n");
  }

  @Test
  void aLineOfALaterAttemptGoesOnWithNoneOfTheOneBefore() {
    lines.take(chunk(0, "killed here"));
    LogChunk later = chunk(new Source("job", 2, 0, "c", "request"), "stdout", "fresh\n", false);

    assertThat(out(later)).isEqualTo("[0 c] fresh\n");
    assertThat(text(lines.rest(), "stdout")).isEqualTo("[0 a] killed here\n");
  }

  @Test
  void aLineWithoutEndIsShownBeforeItFillsTheMemory() {
    String much = "x".repeat(MemberLines.MOST_HELD);
    assertThat(out(chunk(0, much))).isEmpty();
    assertThat(out(chunk(0, "y"))).isEqualTo("[0 a] " + much + "y\n");
  }

  @Test
  void aBarThatIsDrawnOverItselfKeepsItsName() {
    assertThat(out(chunk(1, "10 %\r20 %\r\n"))).isEqualTo("[1 b] 10 %\r[1 b] 20 %\r\n");
  }

  @Test
  void anAgentThatDoesNotSayItsHostIsNamedByItsRank() {
    LogChunk chunk = chunk(new Source("job", 1, 1, null, "request"), "stdout", "x\n", false);
    assertThat(out(chunk)).isEqualTo("[1] x\n");
  }
}
