package io.stoker.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.testing.AServer;
import org.junit.jupiter.api.Test;

class CordonedTest {
  @Test
  void whereOneHostCannotBeCordoned_theOthersTakeJobsAgain() throws Exception {
    try (AServer server =
            AServer.answering("/hosts", 200, "{\"hosts\":[{\"host\":\"a\"},{\"host\":\"b\"}]}")
                .and("/hosts/a/cordon", 202, "")
                .and("/hosts/b/cordon", 500, "")
                .and("/hosts/a/uncordon", 202, "")
                .and("/hosts/b/uncordon", 202, "");
        RestClient rest = server.client()) {
      assertThatThrownBy(() -> Cordoned.all(new Fleet(rest))).isInstanceOf(CliException.class);

      assertThat(server.asked())
          .containsExactly(
              "GET /hosts",
              "POST /hosts/a/cordon",
              "POST /hosts/b/cordon",
              "POST /hosts/a/uncordon",
              "POST /hosts/b/uncordon");
    }
  }
}
