package io.stoker.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.input.DocumentFile;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.testing.AServer;
import io.stoker.cli.testing.Screen;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SweepRunTest {
  private AServer server;
  private RestClient rest;
  private SweepRun run;

  @BeforeEach
  void create() throws Exception {
    server = AServer.answering("/groups/lr", 201, "{\"group\":\"lr (2)\"}");
    rest = server.client();
    run = new SweepRun(new Groups(rest), new Requests(rest), null, null, new Screen().plain());
    byte[] file = "{request: {command: [x]}, grid: {a: [1]}}".getBytes(StandardCharsets.UTF_8);
    run.create(Sweep.of(DocumentFile.parse("lr.yaml", file), "lr"));
    server.asked().clear();
  }

  @AfterEach
  void close() {
    rest.close();
    server.close();
  }

  @Test
  void aGroupOfWhichAllWasRefused_isClosed() {
    server
        .and("/requests", 400, "{\"message\":\"queue: no\"}")
        .and("/groups/lr (2)/close", 202, "");

    assertThatThrownBy(() -> run.post(List.of(), null)).hasMessage("queue: no");

    assertThat(server.asked()).containsExactly("POST /requests", "POST /groups/lr (2)/close");
  }

  @Test
  void whereItsEndCannotBeAskedFor_itIsSaidWhatEndsIt_andMayBeAskedForAgain() {
    server.and("/groups/lr (2)/stop", 503, "");

    assertThatThrownBy(run::stop)
        .isInstanceOf(CliException.class)
        .hasMessageContaining("answered 503")
        .hasMessageContaining("stoker group 'lr (2)' --stop");
    assertThat(run.stopped()).isFalse();

    server.and("/groups/lr (2)/stop", 202, "");
    assertThat(run.stop()).contains("lr (2)");
    assertThat(run.stopped()).isTrue();
  }
}
