package io.stoker.cli.stack.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCommandTest {
  /** Takes all memory there is, and would go on when there is none. */
  static final class Hog {
    public static void main(String[] arguments) {
      List<byte[]> held = new ArrayList<>();
      while (true) {
        try {
          held.add(new byte[1 << 20]);
        } catch (OutOfMemoryError e) {
          held.clear();
        }
      }
    }
  }

  @Test
  void aChildEndsWhenItRunsOutOfMemory(@TempDir Path folder) throws Exception {
    List<String> command = JavaCommand.ofOwnClassPath(List.of("-Xmx16m"), Hog.class, List.of());
    Process child =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    try {
      assertThat(child.waitFor(2, TimeUnit.MINUTES)).isTrue();
      assertThat(child.exitValue()).isEqualTo(3);
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void optionsOfTheEnvironmentAreWords() {
    assertThat(JavaCommand.words(null)).isEmpty();
    assertThat(JavaCommand.words("  ")).isEmpty();
    assertThat(JavaCommand.words(" -Xmx1g   -XX:+UseZGC "))
        .containsExactly("-Xmx1g", "-XX:+UseZGC");
  }
}
