package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.fixture.FaultyProxy;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Proxies;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All connections of a dispatcher and an agent are cut again and again while they work. */
@Timeout(1_200)
@BesideTheSharedStack
class ResetConnectionsTest {
  private static final String DISPATCHER = "dispatcher-1";
  private static final String AGENT = "agent-host-1";
  private static final int ROUNDS = 4;
  private static final int JOBS = 12;

  @TempDir Path folder;

  @Test
  void eachJobRunsOnceAndSucceeds() throws Exception {
    Path runs = folder.resolve("runs");
    try (Proxies proxies = Proxies.of(DISPATCHER, AGENT);
        StokerStack stack =
            StokerStack.start(
                "reset-connections",
                StackOptions.DEFAULT.withAgentEnvironment(StokerStack.WITHOUT_GPUS),
                proxies)) {
      List<FaultyProxy> all =
          Stream.concat(proxies.before(DISPATCHER).stream(), Stream.of(proxies.kafka(AGENT)))
              .toList();
      await("all of them to be connected through")
          .atMost(StatusLog.PATIENCE)
          .until(() -> all.stream().allMatch(proxy -> proxy.connections() > 0));

      for (int round = 0; round < ROUNDS; round++) {
        int first = round * JOBS;
        List<String> ids = IntStream.range(first, first + JOBS).mapToObj(i -> "cut-" + i).toList();
        for (String id : ids) {
          stack.post(Posted.script(id, "echo %s >> '%s'".formatted(id, runs)));
        }
        all.forEach(FaultyProxy::reset);
        await("all of them to be cut")
            .atMost(StatusLog.PATIENCE)
            .until(() -> all.stream().allMatch(proxy -> proxy.connections() == 0));
        all.forEach(FaultyProxy::pass);
        stack.statuses().awaitEnds(ids, StatusLog.PATIENCE.multipliedBy(2));
        for (String id : ids) {
          assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.SUCCEEDED);
        }
      }
      assertThat(Files.readAllLines(runs)).hasSize(ROUNDS * JOBS).doesNotHaveDuplicates();
    }
  }
}
