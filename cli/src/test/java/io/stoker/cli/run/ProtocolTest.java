package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import org.junit.jupiter.api.Test;

/** What of a job's output is for people. */
class ProtocolTest {
  private static final Source JOB = new Source("j", 1, null, "h", "r");
  private final Protocol protocol = new Protocol();
  private int n;

  private String seen(String stream, String text) {
    return protocol.seen(new LogChunk(JOB, stream, n++, 0, text, false, false));
  }

  @Test
  void linesForStokerAreLeftOutWhereverTheyAreCut() {
    assertThat(seen("stdout", "one\n#stoker:progress 0.5\ntwo\n#sto")).isEqualTo("one\ntwo\n");
    assertThat(seen("stdout", "ker:result ")).isEmpty();
    assertThat(seen("stdout", "1\nthree\n#")).isEqualTo("three\n");
    assertThat(seen("stdout", " a comment\n")).isEqualTo("# a comment\n");
    assertThat(seen("stdout", "no end")).as("what a person waits for").isEqualTo("no end");
    assertThat(seen("stdout", "#stoker: in the middle\n")).isEqualTo("#stoker: in the middle\n");
  }

  @Test
  void whatGoesToStandardErrorIsNotForStoker() {
    assertThat(seen("stderr", "#stoker:result 1\n")).isEqualTo("#stoker:result 1\n");
  }

  @Test
  void whatIsHeldBackAtTheEndIsShown() {
    assertThat(protocol.seen(new LogChunk(JOB, "stdout", 0, 0, "#st", true, false)))
        .isEqualTo("#st");
  }
}
