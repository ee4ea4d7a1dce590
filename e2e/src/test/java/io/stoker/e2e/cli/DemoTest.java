package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo is the first thing that people see. */
@Timeout(1_200)
@BesideTheSharedStack
class DemoTest {
  @TempDir Path folder;

  @Test
  void comesOutAsExpectedAndLeavesNothing() throws Exception {
    Ended ended = new Stoker(folder.resolve("unused"), folder).run("demo");

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.out())
        .contains("knn-petals-twin", "shared job", "cached result", "caused by failure of roots")
        .doesNotContain("\u001b");
    assertThat(leftBehind()).isEmpty();
    assertThat(folder.resolve("unused")).doesNotExist();
  }

  private List<String> leftBehind() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("stoker-demo-"))
          .toList();
    }
  }
}
