package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionTest {
  @TempDir Path folder;

  @Test
  void variablesWinOverTheLocalStack() throws IOException {
    localStack(true, "http://127.0.0.1:2");
    Connection connection =
        connection(Map.of("STOKER_BOOTSTRAP", "kafka:9092", "STOKER_URL", "https://stoker:8080/"));

    assertThat(connection.access().bootstrap()).isEqualTo("kafka:9092");
    assertThat(connection.url()).isEqualTo(URI.create("https://stoker:8080"));
  }

  @Test
  void findsTheLocalStack() throws IOException {
    localStack(true, "http://127.0.0.1:2");

    assertThat(connection(Map.of()).access().bootstrap()).isEqualTo("127.0.0.1:1");
    assertThat(connection(Map.of()).url()).isEqualTo(URI.create("http://127.0.0.1:2"));
  }

  @Test
  void saysWhatToDoWhenThereIsNothingToReach() throws IOException {
    assertFails(() -> connection(Map.of()).access(), ExitCode.UNREACHABLE, "stoker up");
    localStack(false, null);
    assertFails(() -> connection(Map.of()).access(), ExitCode.UNREACHABLE, "stoker up");
    localStack(true, null);
    assertFails(() -> connection(Map.of()).url(), ExitCode.UNREACHABLE, "no dispatcher");
  }

  @Test
  void refusesAUrlThatIsNone() {
    Connection connection = connection(Map.of("STOKER_URL", "stoker:8080"));

    assertFails(connection::url, ExitCode.USAGE, "STOKER_URL is stoker:8080");
  }

  private void localStack(boolean ready, String url) throws IOException {
    new RunningStack(
            ProcessRef.of(ProcessHandle.current()),
            ready,
            new Addresses("127.0.0.1:1", url, "postgresql://p", "redis://r"),
            List.of())
        .write(new DataFolder(folder));
  }

  private Connection connection(Map<String, String> environment) {
    return new Connection(new DataFolder(folder), environment);
  }

  private static void assertFails(ThrowingCallable call, int exitCode, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CliException.class,
            failure -> {
              assertThat(failure.exitCode()).isEqualTo(exitCode);
              assertThat(failure).hasMessageContaining(message);
            });
  }
}
