package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.staged.Said;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is told what to do, and answers. */
@Timeout(300)
class StagedProcessTest {
  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    host = new RunnerFixture(data);
  }

  @AfterEach
  void stop() {
    host.close();
  }

  /** A staged process in shell: answers every command with what the file says, and names itself. */
  private static final String STAGED =
      "while read -r line; do echo \"$$ $line\";"
          + " n=${line#*\\\"n\\\":}; n=${n%%,*};"
          + " echo \"#stoker:stage {\\\"v\\\":1,\\\"n\\\":$n,\\\"is\\\":\\\"oom\\\"}\"; done";

  @Test
  void aStagedProcessIsToldAndAnswersAndAnotherFollowsItInTheSameLog() throws Exception {
    AttemptKey key = host.launch(host.stagedPlace("job", "sh", "-c", STAGED), 1);
    long first = host.next(Started.class).process().pid();
    host.runner.tell(key, Json.read("{\"v\":1,\"n\":1,\"do\":\"load\"}"));
    Input.StageSaid said = host.next(Input.StageSaid.class);
    assertThat(said.said().command()).isEqualTo(1);
    assertThat(said.said().what()).isEqualTo(Said.What.OOM);
    host.runner.kill(key, 0);
    host.next(Exited.class);

    host.launch(host.stagedPlace("job", "sh", "-c", STAGED), 2);
    long second = host.next(Started.class).process().pid();
    host.runner.tell(key, Json.read("{\"v\":1,\"n\":2,\"do\":\"load\"}"));
    assertThat(host.next(Input.StageSaid.class).said().command()).isEqualTo(2);

    assertThat(second).isNotEqualTo(first);
    assertThat(host.logs).noneMatch(LogChunk::last);
    host.runner.kill(key, 0);
    host.next(Exited.class);
    host.runner.closeLog(key);
    await().until(() -> host.logs.stream().anyMatch(LogChunk::last));
    assertThat(host.output()).contains(first + " {\"v\":1,\"n\":1").contains(second + " {\"v\"");
    assertThat(host.logs).extracting(LogChunk::n).doesNotHaveDuplicates();
  }

  @Test
  void aStagedProcessGoesOnUnderTheNextAgentAndIsToldByIt() throws Exception {
    Place place = host.stagedPlace("job", "sh", "-c", STAGED);
    AttemptKey key = host.launch(place, 1);
    Started started = host.next(Started.class);
    host.runner.close();
    host.startRunner();
    host.runner.adopt(place, Optional.of(started.process()), 1);
    host.next(Started.class);

    host.runner.tell(key, Json.read("{\"v\":1,\"n\":5,\"do\":\"train\",\"device\":\"cuda:0\"}"));

    assertThat(host.next(Input.StageSaid.class).said().command()).isEqualTo(5);
  }

  @Test
  void aSecondProcessWhoseLaunchWasLostIsNotTakenForTheFirst() throws Exception {
    Place place = host.stagedPlace("job", "sh", "-c", "exit 3");
    host.launch(place, 1);
    host.next(Exited.class);
    host.runner.close();
    host.startRunner();

    host.runner.adopt(place, Optional.empty(), 2);

    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Cause.UNCLAIMED);
    host.launch(place, 2);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
  }
}
