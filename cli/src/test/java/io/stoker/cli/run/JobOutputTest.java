package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.terminal.Terminals;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JobOutputTest {
  private static final Source JOB = new Source("j", 1, null, "h", "r");
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final JobOutput output = new JobOutput(out, err);

  @Test
  void writesEachStreamToItsOwn() {
    output.write(chunk(1, 0, "stdout", "hé\n", false));
    output.write(chunk(1, 1, "stderr", "oh\n", false));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("hé\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("oh\n");
  }

  @Test
  void writesAChunkOnceHoweverOftenItComes() {
    output.write(chunk(1, 0, "stdout", "a", false));
    output.write(chunk(1, 1, "stdout", "b", false));
    output.write(chunk(1, 0, "stdout", "a", false));
    output.write(chunk(1, 1, "stdout", "b", false));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("ab");
  }

  @Test
  void aLaterAttemptStartsAgainAndAnEarlierOneIsOver() {
    output.write(chunk(1, 0, "stdout", "one", true));
    assertThat(output.isComplete(1, 1)).isTrue();
    output.write(chunk(2, 0, "stdout", "two", false));
    output.write(chunk(1, 1, "stdout", "late", false));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("onetwo");
    assertThat(output.isComplete(1, 1)).isTrue();
    assertThat(output.isComplete(2, 1)).isFalse();
  }

  @Test
  void theLastChunkMayBeEmpty() {
    output.write(chunk(1, 0, "stdout", null, true));

    assertThat(output.isComplete(1, 1)).isTrue();
    assertThat(out.size()).isZero();
  }

  @Test
  void saysThatTheRestIsLeftOut() {
    output.write(new LogChunk(JOB, "stdout", 0, 0, "x", false, true));
    output.write(new LogChunk(JOB, "stdout", 1, 0, "y", true, true));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("xy");
    assertThat(err.toString(StandardCharsets.UTF_8)).containsOnlyOnce("the rest is left out");
  }

  @Test
  void write_whatADispatcherRemarks_countsAsNoneOfTheOutput() {
    output.write(LogChunk.remark("j", 1, 0, "left out"));
    output.write(chunk(1, 0, "stdout", "x", true));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("x");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("\nleft out\n");
  }

  @Test
  void linesOfAGangSayWhoseTheyAreAndStayWhole() {
    output.write(member(0, 0, "stdout", "epoch 1\nepo", false));
    output.write(member(1, 0, "stdout", "ready\n", false));
    output.write(member(1, 1, "stderr", "slow\n", false));
    output.write(member(0, 1, "stdout", "ch 2\n", false));
    output.write(member(0, 1, "stdout", "ch 2\n", false));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("[0 node-0] epoch 1\n[1 node-1] ready\n[0 node-0] epoch 2\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("[1 node-1] slow\n");
  }

  @Test
  void aGangIsCompleteWhenAllItsMembersAre() {
    output.write(member(1, 0, "stdout", "one", true));
    assertThat(output.isComplete(1, 2)).isFalse();
    output.write(member(0, 0, "stdout", "", true));
    assertThat(output.isComplete(1, 2)).isTrue();
  }

  @Test
  void aLineWithoutItsEndIsWrittenWhenNothingMoreComes() {
    output.write(member(1, 0, "stdout", "no newline", false));
    assertThat(out.size()).isZero();
    output.end();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("[1 node-1] no newline\n");
  }

  @Test
  void oneMemberAloneIsWrittenAsItIs() {
    new JobOutput(out, err, false, false).write(member(1, 0, "stdout", "50 %", false));
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("50 %");
  }

  @Test
  void thatTheRestOfAMemberIsLeftOutIsSaidOfIt() {
    output.write(
        new LogChunk(new Source("j", 1, 1, "node-1", "r"), "stdout", 0, 0, "x\n", false, true));

    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("[1 node-1] stoker: the log reached its limit; the rest is left out\n");
  }

  @Test
  void aTerminalIsGivenColoursAndNothingElseThatItObeys() {
    output.on(new Terminals(true, false));
    String colours = "\u001b[1;38:5:9mred\u001b[0m\ta\r\n\u001b[m";
    String clipboard = "\u001b]52;c;aGk=\u0007";
    output.write(chunk(1, 0, "stdout", colours + clipboard + "\u009b2J\b\u007f \u001bc", false));
    output.write(chunk(1, 1, "stderr", clipboard, false));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(colours + "\\u001b]52;c;aGk=\\u0007" + "\\u009b2J\\u0008\\u007f" + " \\u001bc");
    assertThat(err.toString(StandardCharsets.UTF_8)).as("a file").isEqualTo(clipboard);
  }

  @Test
  void aSequenceInTwoChunksIsOne() {
    output.on(new Terminals(true, true));
    output.write(chunk(1, 0, "stdout", "a\u001b", false));
    output.write(chunk(1, 1, "stdout", "[3", false));
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a");
    output.write(chunk(1, 2, "stdout", "1mb\u001b", false));
    output.write(chunk(1, 3, "stdout", "]0;title", false));
    output.write(chunk(1, 4, "stderr", "x\u001b[", true));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a\u001b[31mb\\u001b]0;title");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("x\\u001b[");
  }

  @Test
  void rawIsAsItWasWritten() {
    new JobOutput(out, err, true, true)
        .on(new Terminals(true, true))
        .write(chunk(1, 0, "stdout", "\u001b]52;c;aGk=\u0007\u001b", false));
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("\u001b]52;c;aGk=\u0007\u001b");
  }

  private static LogChunk member(int rank, int n, String stream, String text, boolean last) {
    return new LogChunk(
        new Source("j", 1, rank, "node-" + rank, "r"), stream, n, 0, text, last, false);
  }

  private static LogChunk chunk(int attempt, int n, String stream, String text, boolean last) {
    return new LogChunk(new Source("j", attempt, null, "h", "r"), stream, n, 0, text, last, false);
  }
}
