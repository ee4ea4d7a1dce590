package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** What becomes of output that does not get through. */
class OutputTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int finish(String trouble, int exitCode) {
    OutputStream to =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            if (trouble != null) {
              throw new IOException(trouble);
            }
          }
        };
    Output output = new Output(to);
    PrintStream out = new PrintStream(output.stream());
    out.println("hi");
    return output.finish(out, new PrintStream(err), exitCode);
  }

  @Test
  void whatGotThroughChangesNothing() {
    assertThat(finish(null, 0)).isZero();
    assertThat(finish(null, 4)).isEqualTo(4);
  }

  @Test
  void aFullDiskIsAFailure() {
    assertThat(finish("No space left on device", 0)).isEqualTo(1);
    assertThat(err.toString()).contains("could not be written: No space left on device");
    assertThat(finish("No space left on device", 7)).as("it failed already").isEqualTo(7);
  }

  @Test
  void whoReadsNoFurtherIsToldNothing() {
    assertThat(finish("Broken pipe", 0)).isEqualTo(141);
    assertThat(err.size()).isZero();
  }
}
