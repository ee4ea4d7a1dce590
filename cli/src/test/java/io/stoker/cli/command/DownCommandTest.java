package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.Main;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.DataLock;
import io.stoker.cli.outcome.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DownCommandTest {
  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  @Test
  void whereAStackRunsThatNothingNames_itFails() throws IOException {
    DataFolder data = new DataFolder(folder);
    try (DataLock held = DataLock.tryTake(data).orElseThrow()) {
      assertThat(held).isNotNull();
      assertThat(down(folder)).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).contains("a stack runs on " + folder);
    }

    assertThat(down(folder)).isEqualTo(ExitCode.DONE);
  }

  @Test
  void whereThereIsNothing_itLeavesNothing() {
    assertThat(down(folder.resolve("nowhere"))).isEqualTo(ExitCode.DONE);
    assertThat(folder).isEmptyDirectory();
  }

  private int down(Path data) {
    String[] words = {"down", "--data", data.toString()};
    CommandLine line = Main.commandLine(words);
    line.setErr(new PrintWriter(err, true));
    return line.execute(words);
  }
}
