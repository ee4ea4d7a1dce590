package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.common.message.ToAgent.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever takes the output fails unexpectedly: the runs end all the same. */
@Timeout(300)
class UnsentOutputTest {
  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws Exception {
    host =
        new RunnerFixture(
            data,
            false,
            RunAs.SELF,
            chunk -> {
              throw new IllegalStateException("nobody expected it");
            });
  }

  @AfterEach
  void stop() {
    host.close();
  }

  @Test
  void aProcessEnds() throws Exception {
    host.sh("job", "head -c 200000 /dev/zero | tr '\\0' x; exit 3");

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
  }

  @Test
  void aRunWithoutAProcessEnds() throws Exception {
    RunnerContext[] context = new RunnerContext[1];
    host.startRunners(
        List.of(
            given -> {
              context[0] = given;
              return new FakeRunner("ssh");
            }));
    Place place = RunnerFixture.of("a", "true").on("ssh").build();
    AttemptKey key = new AttemptKey("a", 1);
    context[0].prepare(place);
    context[0].outputs().follow(place);
    Files.writeString(context[0].stdout(key), "x".repeat(200_000));
    context[0].outputs().end(key, OptionalInt.of(3), Optional.empty(), Optional.empty());

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
  }
}
