package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.testing.AServer;
import io.stoker.cli.testing.StokerProcess;
import io.stoker.cli.testing.StokerProcess.Ended;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code stoker group} as a process. */
class GroupCommandTest {
  private static final String ENDED = "{\"group\":\"g\",\"state\":\"ENDED\"}";

  @TempDir Path folder;

  private AServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        AServer.answering("/groups/g", 200, ENDED)
            .and("/groups/new", 201, "{\"group\":\"new (2)\"}")
            .and("/groups/new (2)/retries", 202, "")
            .and("/groups/new (2)/close", 202, "")
            .and("/groups/g/close", 202, "")
            .and("/groups/g/stop", 202, "")
            .and("/groups/g/rerun-best", 202, "{\"id\":\"again\"}")
            .and("/groups/g/report", 200, "{\"requests\":[{\"id\":\"a\"}]}");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void group_ofManyOptions_doesThemInOrder() throws Exception {
    Ended made = stoker("new", "--close", "--create", "--retries", "3");

    assertThat(made.out()).as(made.err()).isEqualTo("new (2)\n");
    assertThat(server.asked())
        .containsExactly(
            "POST /groups/new", "POST /groups/new (2)/retries", "POST /groups/new (2)/close");

    server.asked().clear();
    Ended reported = stoker("g", "--close", "--rerun-best", "--watch", "--report");
    assertThat(reported.out()).as(reported.err()).isEqualTo("g\nagain\n{\"id\":\"a\"}\n");
    assertThat(server.asked())
        .containsExactly(
            "POST /groups/g/close",
            "POST /groups/g/rerun-best",
            "GET /groups/g",
            "GET /groups/g",
            "GET /groups/g/report");

    assertThat(stoker("g", "--stop", "--watch", "--json").out())
        .isEqualTo("{\"group\":\"g\"}\n" + ENDED + "\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--stop --rerun-best",
        "--create --stop",
        "--create --watch",
        "--close --report g.pdf",
      })
  void group_ofOptionsThatContradict_isRefusedBeforeAnythingIsDone(String options)
      throws Exception {
    Ended ended = stoker(("g " + options).split(" "));

    assertThat(ended.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ended.err()).contains(options.split(" ")[0].equals("--close") ? "g.pdf" : "--stop");
    assertThat(server.asked()).isEmpty();
  }

  private Ended stoker(String... words) throws Exception {
    String[] all = new String[words.length + 1];
    all[0] = "group";
    System.arraycopy(words, 0, all, 1, words.length);
    return new StokerProcess(folder).run("", Map.of("STOKER_URL", server.url()), all);
  }
}
