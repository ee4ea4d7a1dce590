package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every run goes to its type's runner, and what that gathers is read as a process's output is. */
@Timeout(300)
class RunnersTest {
  @TempDir Path data;
  private final FakeRunner ssh = new FakeRunner("ssh");
  private final FakeRunner aws = new FakeRunner("aws");
  private RunnerFixture host;
  private RunnerContext context;

  @BeforeEach
  void start() throws IOException {
    host = RunnerFixture.unstarted(data);
    host.startRunners(
        List.of(
            given -> {
              context = given;
              return ssh;
            },
            given -> aws));
  }

  @AfterEach
  void stop() {
    host.close();
  }

  @Test
  void aRunIsItsTypesRunnersFromItsBeginningToItsRemoval() {
    AttemptKey key = new AttemptKey("a", 1);
    host.runners.clear(Set.of(key));
    host.runners.start(RunnerFixture.of("a", "true").on("ssh").build(), none(key), 1);
    host.runners.kill(key, 77);
    host.runners.remove(key);
    host.runners.adopt(RunnerFixture.of("b", "true").on("aws").build(), Optional.empty(), 1);

    assertThat(ssh.asked).containsExactly("clear 1", "start a", "kill a-1 77", "remove a-1");
    assertThat(aws.asked).containsExactly("clear 1", "adopt b");
    assertThat(host.runners.slots()).isEqualTo(Map.of("ssh", 3, "aws", 3));
  }

  @Test
  void whatAnEarlierAgentRanIsRemovedByWhomeverItWas() {
    host.runners.remove(new AttemptKey("a", 1));
    assertThat(ssh.asked).containsExactly("remove a-1");
    assertThat(aws.asked).containsExactly("remove a-1");
  }

  @Test
  void aRunWithoutATypeIsAProcess() throws Exception {
    AttemptKey key = new AttemptKey("a", 1);
    host.runners.start(host.place("a", "sh", "-c", "exit 4"), none(key), 1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(4);
    assertThat(ssh.asked).isEmpty();
  }

  @Test
  void aTypeOfWhichAttemptsAreLiveIsServed() {
    host.runners.mustServe(Map.of("ssh", 1L));

    assertThatThrownBy(() -> host.runners.mustServe(Map.of("ssh", 1L, "container", 2L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.agent.runners.types: without container, of which 2 attempt");
  }

  @Test
  void outputOfARunWithoutAProcessIsFollowedToItsEnd() throws Exception {
    Place place = RunnerFixture.of("a", "true").on("ssh").build();
    AttemptKey key = new AttemptKey("a", 1);
    context.prepare(place);
    context.outputs().follow(place);
    Files.writeString(context.stdout(key), "#stoker:progress 0.25\nhello\n#stoker:result 7\n");
    assertThat(host.next(Input.Progress.class).progress().doubleValue()).isEqualTo(0.25);
    Files.writeString(context.stderr(key), "it broke\n");
    context.outputs().end(key, OptionalInt.of(3), Optional.empty(), Optional.empty());

    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(3);
    assertThat(exited.end().note()).contains("it broke");
    assertThat(exited.end().result().orElseThrow().intValue()).isEqualTo(7);
    assertThat(host.output()).contains("hello").contains("it broke");
    assertThat(host.logs).last().extracting(LogChunk::last).isEqualTo(true);
  }

  @Test
  void whatARunnerKnowsOfAnEndGoesBeforeWhatItsOutputTells() throws Exception {
    Place place = RunnerFixture.of("a", "true").on("ssh").build();
    AttemptKey key = new AttemptKey("a", 1);
    context.prepare(place);
    context.outputs().follow(place);
    Files.writeString(context.stderr(key), "CUDA out of memory\n");
    context
        .outputs()
        .end(
            key,
            OptionalInt.of(137),
            Optional.of(FailureCategory.HOST_OOM),
            Optional.of("its machine ran out of memory"));

    Exited exited = host.next(Exited.class);
    assertThat(exited.end().category()).contains(FailureCategory.HOST_OOM);
    assertThat(exited.end().note()).contains("its machine ran out of memory");
  }

  @Test
  void aRunsFolderIsDeletedWithIt() throws Exception {
    Place place = RunnerFixture.of("a", "true").on("ssh").build();
    AttemptKey key = new AttemptKey("a", 1);
    host.runners.start(place, none(key), 1);
    context.prepare(place);
    assertThat(context.folder(key)).isDirectory();
    host.runners.remove(key);
    // On the processes' thread, before this one's end.
    AttemptKey last = new AttemptKey("z", 1);
    host.runners.start(host.place("z", "true"), none(last), 1);
    host.next(Exited.class);
    assertThat(context.folder(key)).doesNotExist();
  }

  @Test
  void nothingMayStartOnceTheLeaseHasRunOut() throws Exception {
    assertThat(context.refusal()).isEmpty();
    host.deadline.write(0);
    assertThat(context.refusal()).isPresent();
  }

  private static Allocation none(AttemptKey key) {
    return new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
  }
}
