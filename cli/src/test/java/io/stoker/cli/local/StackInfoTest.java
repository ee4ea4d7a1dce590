package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stoker.cli.local.RunningStack.ChildRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackInfoTest {
  private static final ProcessRef THIS = ProcessRef.of(ProcessHandle.current());

  /** Same pid as this process, but started at another time: an earlier one. */
  private static final ProcessRef DEAD =
      new ProcessRef(THIS.pid(), THIS.startMillis() - 60_000, null);

  @Test
  void hasTheNamesThatScriptsDependOnAndLivePidsAlone() throws IOException {
    RunningStack stack =
        new RunningStack(
            THIS,
            true,
            new Addresses(
                "127.0.0.1:1", "http://127.0.0.1:2", "postgresql://p", "redis://r", null, null),
            List.of(
                new ChildRef("kafka", Role.KAFKA, THIS),
                new ChildRef("postgres", Role.POSTGRES, DEAD),
                new ChildRef("dispatcher-1", Role.DISPATCHER, THIS)));

    StackInfo info = StackInfo.of(new DataFolder(Path.of("/data")), stack);

    String pid = Long.toString(THIS.pid());
    assertThat(new ObjectMapper().writeValueAsString(info))
        .isEqualTo(
            """
            {"bootstrap":"127.0.0.1:1","url":"http://127.0.0.1:2","postgres":"postgresql://p",\
            "redis":"redis://r","data":"/data","pids":{"up":[%s],"kafka":[%s],"postgres":[],\
            "redis":[],"dispatcher":[%s],"agent":[]}}\
            """
                .formatted(pid, pid, pid));
  }
}
