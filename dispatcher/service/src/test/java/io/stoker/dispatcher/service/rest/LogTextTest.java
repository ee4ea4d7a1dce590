package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import io.stoker.dispatcher.service.rest.LogText.With;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class LogTextTest {
  private static LogChunk chunk(Integer rank, String text, boolean truncated) {
    return new LogChunk(new Source("j", 1, rank, "a", "r"), "stdout", 0, 0, text, false, truncated);
  }

  private static LogChunk of(int attempt, Integer rank, String text) {
    return new LogChunk(
        new Source("j", attempt, rank, "b", "r"), "stdout", 0, 0, text, false, false);
  }

  @Test
  void whatAJobOnOneHostWroteIsShownAsItIs() {
    LogText text = new LogText(EnumSet.of(With.NAMES));
    assertThat(text.of(chunk(null, "half", false))).isEqualTo("half");
    assertThat(text.rest()).isEmpty();
  }

  @Test
  void linesOfAGangSayWhoseTheyAre() {
    LogText text = new LogText(EnumSet.of(With.NAMES));
    assertThat(text.of(chunk(0, "one\nha", false))).isEqualTo("[0 a] one\n");
    assertThat(text.of(chunk(1, "two\n", false))).isEqualTo("[1 a] two\n");
    assertThat(text.rest()).isEqualTo("[0 a] ha\n");
  }

  @Test
  void oneMemberReadAloneIsShownAsItIs() {
    assertThat(new LogText(EnumSet.noneOf(With.class)).of(chunk(1, "half", false)))
        .isEqualTo("half");
  }

  @Test
  void thatTheRestIsNotKeptIsSaidOnceOfEach() {
    LogText text = new LogText(EnumSet.of(With.NAMES));
    assertThat(text.of(chunk(0, "x\n", true)))
        .isEqualTo("[0 a] x\n[0 a] [the rest of the output is not kept]\n");
    assertThat(text.of(chunk(0, "y\n", true))).isEqualTo("[0 a] y\n");
    assertThat(text.of(chunk(1, "z\n", true))).contains("[1 a] [the rest");
  }

  @Test
  void ofDispatcher_withinALine_isALineOfItsOwn() {
    LogText text = new LogText(EnumSet.of(With.NAMES, With.ATTEMPTS));
    text.of(chunk(null, "half", false));
    assertThat(text.of(LogChunk.remark("j", 1, 0, "left out"))).isEqualTo("\nleft out\n");
    assertThat(text.of(LogChunk.remark("j", 1, 0, "left out"))).isEqualTo("left out\n");
  }

  @Test
  void asJsonItIsAChunkALine() {
    LogText text = new LogText(EnumSet.of(With.JSON, With.NAMES));
    assertThat(text.of(chunk(1, "half", false)))
        .contains("\"rank\":1,\"host\":\"a\"")
        .endsWith("}\n");
    assertThat(text.rest()).isEmpty();
  }

  @Test
  void whereAnotherAttemptBeginsALineOfItsOwnSaysSo() {
    LogText text = new LogText(EnumSet.of(With.NAMES, With.ATTEMPTS));
    assertThat(text.of(of(1, null, "one\nha"))).isEqualTo("one\nha");
    // An end that says nothing begins nothing.
    assertThat(text.of(of(2, null, ""))).isEmpty();
    assertThat(text.of(of(2, null, "two\n"))).isEqualTo("\n- attempt 2 on b -\ntwo\n");
    assertThat(text.of(of(2, null, "three\n"))).isEqualTo("three\n");
    assertThat(text.of(of(1, null, "late\n"))).isEqualTo("- attempt 1 on b -\nlate\n");
  }

  @Test
  void whereAnotherAttemptOfAGangBeginsTheOneBeforeIsWhole() {
    LogText text = new LogText(EnumSet.of(With.NAMES, With.ATTEMPTS));
    assertThat(text.of(of(1, 0, "one\nha"))).isEqualTo("[0 b] one\n");
    assertThat(text.of(of(2, 1, "two\n"))).isEqualTo("[0 b] ha\n- attempt 2 -\n[1 b] two\n");
    assertThat(text.of(of(2, 0, "three\n"))).isEqualTo("[0 b] three\n");
    assertThat(text.rest()).isEmpty();
  }

  @Test
  void whatIsReadAsItIsHasNoMarkOfAttempts() {
    LogText text = new LogText(EnumSet.of(With.NAMES));
    assertThat(text.of(of(1, null, "one\n")) + text.of(of(2, null, "two\n")))
        .isEqualTo("one\ntwo\n");
  }

  @Test
  void times_standBeforeEachLine_howeverItComes() {
    LogText text = new LogText(EnumSet.of(With.NAMES, With.ATTEMPTS, With.TIMES));
    String time = "1970-01-01T00:00:00Z ";
    assertThat(text.of(of(1, null, "one\n\ntw")))
        .isEqualTo(time + "one\n" + time + "\n" + time + "tw");
    assertThat(text.of(of(1, null, "o\n"))).isEqualTo("o\n");
    assertThat(text.of(of(2, null, "x"))).isEqualTo(time + "- attempt 2 on b -\n" + time + "x");
    assertThat(text.of(of(3, null, "y\n")))
        .isEqualTo("\n" + time + "- attempt 3 on b -\n" + time + "y\n");
    assertThat(text.of(of(3, 1, "half"))).isEmpty();
    assertThat(text.rest()).isEqualTo(time + "[1 b] half\n");
  }
}
