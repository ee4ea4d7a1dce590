package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.LogChunk;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JobOutputTest {
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
    assertThat(output.isComplete(1)).isTrue();
    output.write(chunk(2, 0, "stdout", "two", false));
    output.write(chunk(1, 1, "stdout", "late", false));

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("onetwo");
    assertThat(output.isComplete(1)).isTrue();
    assertThat(output.isComplete(2)).isFalse();
  }

  @Test
  void theLastChunkMayBeEmpty() {
    output.write(chunk(1, 0, "stdout", null, true));

    assertThat(output.isComplete(1)).isTrue();
    assertThat(out.size()).isZero();
  }

  @Test
  void saysThatTheRestIsLeftOut() {
    output.write(new LogChunk("j", 1, "r", "stdout", 0, 0, "x", true, true));

    assertThat(err.toString(StandardCharsets.UTF_8)).contains("the rest is left out");
  }

  private static LogChunk chunk(int attempt, int n, String stream, String text, boolean last) {
    return new LogChunk("j", attempt, "r", stream, n, 0, text, last, false);
  }
}
