package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.testing.AServer;
import io.stoker.cli.testing.StokerProcess;
import io.stoker.cli.testing.StokerProcess.Ended;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that change many requests. */
class ManyRequestsTest {
  private static final String REFUSED = "{\"message\":\"b has SUCCEEDED\"}";

  @TempDir Path folder;

  @Test
  void retry_ofManyOfWhichSomeAreRefused_retriesTheOthersAndEndsWithTheWorst() throws Exception {
    try (AServer server =
        AServer.answering("/requests/a/retry", 202, "{\"id\":\"a2\"}")
            .and("/requests/b/retry", 409, REFUSED)
            .and("/requests/c/retry", 202, "{\"id\":\"c2\"}")
            .busyFirst("/requests/c/retry")) {
      Ended all = stoker(server, "retry", "a", "b", "c");
      Ended unknown = stoker(server, "retry", "b", "d");

      assertThat(all.out()).isEqualTo("a2\nc2\n");
      assertThat(all.err()).isEqualTo("stoker: b has SUCCEEDED\n");
      assertThat(all.code()).isEqualTo(ExitCode.USAGE);
      assertThat(unknown.err()).endsWith("stoker: nobody knows a request d\n");
      assertThat(unknown.code()).isEqualTo(ExitCode.UNKNOWN_ID);
    }
  }

  @Test
  void cancelForgetAndPriority_ofOneThatIsRefused_goOnWithTheNext() throws Exception {
    try (AServer server =
        AServer.answering("/requests/b", 403, REFUSED)
            .and("/requests/c", 202, "")
            .and("/requests/b/forget", 409, REFUSED)
            .and("/requests/c/forget", 202, "")
            .and("/requests/b/priority", 409, REFUSED)
            .and("/requests/c/priority", 202, "")) {
      for (Ended ended :
          new Ended[] {
            stoker(server, "cancel", "b", "c"),
            stoker(server, "forget", "b", "c"),
            stoker(server, "priority", "b", "c", "5")
          }) {
        assertThat(ended.out()).isEqualTo("c\n");
        assertThat(ended.err()).contains("b has SUCCEEDED");
        assertThat(ended.code()).isEqualTo(ExitCode.USAGE);
      }
    }
  }

  private Ended stoker(AServer server, String... words) throws Exception {
    return new StokerProcess(folder).run("", Map.of("STOKER_URL", server.url()), words);
  }
}
