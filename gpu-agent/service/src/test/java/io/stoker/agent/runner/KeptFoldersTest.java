package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptFoldersTest {
  @TempDir Path data;

  @Test
  void whatAnEndedRunLeftIsPutAsideWhereItIsKept() throws Exception {
    try (RunnerFixture fixture = new RunnerFixture(data, true, RunAs.SELF)) {
      AttemptKey key = fixture.sh("a", "echo hello; echo x > model");
      fixture.next(Input.Exited.class);

      fixture.runner.remove(key);

      Path aside = RunFolders.aside(data).resolve(key.toString());
      await().until(() -> aside.toFile().isDirectory());
      assertThat(RunFolders.of(data, key.toString())).doesNotExist();
      assertThat(aside.resolve("stdout")).hasContent("hello");
      assertThat(aside.resolve("work/model")).hasContent("x");
      fixture.runner.remove(key);
      fixture.sh("b", "true");
      assertThat(fixture.next(Input.Exited.class).end().exitCode())
          .as("removing what is gone harms nothing")
          .hasValue(0);
    }
  }
}
