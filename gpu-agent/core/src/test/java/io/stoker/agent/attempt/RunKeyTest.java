package io.stoker.agent.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of runs as agents have written them into folders and processes since pools are there. */
class RunKeyTest {
  static Stream<Arguments> written() {
    return Stream.of(
        arguments("pool:iris:3f2a9c1e-12", new WorkerKey("iris", "3f2a9c1e", 12)),
        arguments("pool:my-pool_2:3f2a-c1e.3-1", new WorkerKey("my-pool_2", "3f2a-c1e.3", 1)),
        arguments("01J8-4d2f-2", new AttemptKey("01J8-4d2f", 2)),
        arguments("pool-7", new AttemptKey("pool", 7)));
  }

  @ParameterizedTest
  @MethodSource("written")
  void parse_ofANameThatWasWritten_isItsRunAndWrittenThatWayAgain(String name, RunKey key) {
    assertThat(RunKey.parse(name)).contains(key);
    assertThat(key).hasToString(name);
    assertThat(AttemptKey.parse(name).isPresent()).isEqualTo(key instanceof AttemptKey);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "job", "-1", "job-", "job-0", "job-01", "job-1x", "job-1234567890"})
  void parse_ofAnythingElse_isNone(String name) {
    assertThat(RunKey.parse(name)).isEmpty();
  }
}
