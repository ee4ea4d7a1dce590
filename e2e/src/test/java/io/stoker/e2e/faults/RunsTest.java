package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsTest {
  @TempDir Path folder;

  @Test
  void onceEachAndInOrderIsRight() throws IOException {
    assertThat(wrong("begin a 1", "begin c 1", "end a 1", "end c 1", "begin b 1", "end b 1"))
        .isEmpty();
  }

  @Test
  void aSecondRunIsTold() throws IOException {
    assertThat(wrong("begin a 1", "end a 1", "begin a 2", "end a 2"))
        .containsExactly("a was run again, as attempt 2");
  }

  @Test
  void whoeverStartsWhatEqualOnesShareItIsRunOnce() throws IOException {
    assertThat(wrong("begin a 1", "end a 1", "begin a-equal 1", "end a-equal 1"))
        .containsExactly("a was run again, as attempt 1");
  }

  @Test
  void aDependentThatWasTooEarlyIsTold() throws IOException {
    assertThat(wrong("begin a 1", "begin b 1", "end a 1", "end b 1"))
        .containsExactly("b was run before a was over");
  }

  private List<String> wrong(String... lines) throws IOException {
    Path file = Files.write(folder.resolve("runs"), List.of(lines));
    return new Runs(file).wrong(Map.of("b", "a"));
  }
}
