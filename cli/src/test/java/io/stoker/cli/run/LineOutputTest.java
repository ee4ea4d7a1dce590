package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.run.LineOutput.Wish;
import io.stoker.cli.terminal.Terminals;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Output by whole lines. */
class LineOutputTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private int n;

  private LineOutput output(Wish wish) {
    return new LineOutput(wish, new PrintStream(out), new PrintStream(err));
  }

  private LogChunk chunk(String stream, String text, boolean last) {
    return chunk(1, stream, text, last);
  }

  private LogChunk chunk(int attempt, String stream, String text, boolean last) {
    Source source = new Source("j", attempt, null, "h", "r");
    return new LogChunk(source, stream, n++, 1_000, text, last, false);
  }

  private String written() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void linesOfTwoStreamsAreKeptApartAndNamed() {
    LineOutput lines = output(new Wish("a: ", true, false, true, -1));
    lines.write(chunk("stdout", "one\ntw", false));
    lines.write(chunk("stderr", "bad\n", false));
    assertThat(written()).isEqualTo("a: 1970-01-01T00:00:01Z one\n");
    lines.write(chunk("stdout", "o\n#stoker:result 1\nrest", true));
    lines.end();

    assertThat(written())
        .isEqualTo(
            "a: 1970-01-01T00:00:01Z one\na: 1970-01-01T00:00:01Z two\n"
                + "a: 1970-01-01T00:00:01Z rest\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("a: 1970-01-01T00:00:01Z bad\n");
  }

  @Test
  void write_whatADispatcherRemarks_isALineOfItsOwn() {
    LineOutput lines = output(new Wish("a: ", false, false, true, -1));
    lines.write(chunk("stderr", "ha", false));
    lines.write(LogChunk.remark("j", 1, 0, "left out"));
    lines.write(chunk("stderr", "lf\n", true));

    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("a: left out\na: half\n");
  }

  @Test
  void theLastOnesAreWrittenAtTheEnd() {
    LineOutput lines = output(new Wish("", false, false, true, 2));
    lines.write(chunk("stdout", "1\n2\n3\n", true));
    assertThat(written()).isEmpty();
    lines.end();

    assertThat(written()).isEqualTo("2\n3\n");
    assertThat(lines.lines()).isEqualTo(3);
  }

  @Test
  void end_ofALineThatHasNotEnded_writesItLastWithItsTime() {
    LineOutput lines = output(new Wish("a: ", true, false, true, 2));
    lines.write(chunk("stdout", "1\n2\n3", false));
    lines.end();

    assertThat(written()).isEqualTo("a: 1970-01-01T00:00:01Z 2\na: 1970-01-01T00:00:01Z 3\n");
  }

  @Test
  void write_ofTheNextAttempt_endsTheLineOfTheOneBefore() {
    LineOutput lines = output(new Wish("", false, false, true, -1));
    lines.write(chunk(1, "stdout", "killed he", false));
    lines.write(chunk(2, "stdout", "again\n", true));
    lines.end();

    assertThat(written()).isEqualTo("killed he\nagain\n");
  }

  @Test
  void theFirstOnesMayBeLeftOut() {
    LineOutput lines = output(new Wish("", false, true, true, -1)).skipping(2);
    lines.write(chunk("stdout", "1\n#stoker:x\n3\n", false));

    assertThat(written()).isEqualTo("3\n");
  }

  @Test
  void aTerminalIsGivenColoursAndNothingElseThatItObeys() {
    LineOutput lines =
        output(new Wish("a: ", false, false, true, -1)).on(new Terminals(true, false));
    lines.write(chunk("stdout", "\u001b[31mred\u001b", false));
    lines.write(chunk("stdout", "[0m\u001b]0;title\u0007\n\u009b", false));
    lines.write(chunk("stderr", "\u001bc\n", true));
    lines.end();

    assertThat(written())
        .isEqualTo("a: \u001b[31mred\u001b[0m\\u001b]0;title\\u0007\na: \\u009b\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).as("a file").isEqualTo("a: \u001bc\n");
  }

  @Test
  void rawIsAsItWasWritten() {
    LineOutput lines = output(new Wish("", false, true, true, -1)).on(new Terminals(true, true));
    lines.write(chunk("stdout", "\u001b]0;title\u0007\n", false));

    assertThat(written()).isEqualTo("\u001b]0;title\u0007\n");
  }
}
