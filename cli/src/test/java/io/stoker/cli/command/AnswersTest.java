package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.Main;
import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.testing.AServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What commands answer that have done something. */
class AnswersTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "group g --create --memory 1GiB | {\"group\":\"g-2\"}",
        "group g --close                | {\"group\":\"g\"}",
        "group g --stop                 | {\"group\":\"g\"}",
        "group g --retries 3            | {\"group\":\"g\"}",
        "group g --rerun-best           | {\"id\":\"g-7\"}",
        "pool reset h p                 | {\"pool\":\"p\"}"
      })
  void json_isAnObjectALine(String command, String answer) throws Exception {
    DataFolder data = new DataFolder(folder);
    try (AServer server =
        AServer.answering("/groups/g", 201, "{\"group\":\"g-2\"}")
            .and("/groups/g/close", 202, "")
            .and("/groups/g/stop", 202, "")
            .and("/groups/g/retries", 202, "")
            .and("/groups/g/rerun-best", 202, "{\"id\":\"g-7\"}")
            .and("/pools/h/p/reset", 202, "")) {
      new RunningStack(
              ProcessRef.of(ProcessHandle.current()),
              true,
              new Addresses("127.0.0.1:1", server.url(), "postgresql://p", "redis://r", null, null),
              List.of())
          .write(data);
      String[] words = (command + " --json --data " + folder).split(" ");
      StringWriter out = new StringWriter();
      CommandLine line = Main.commandLine(words);
      line.setOut(new PrintWriter(out));

      assertThat(line.execute(words)).isEqualTo(ExitCode.DONE);

      assertThat(out.toString().strip()).isEqualTo(answer);
    }
  }
}
