package io.stoker.agent.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.container.Engine.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class EngineTest {
  @TempDir private Path folder;

  private Engine engine(String script) throws Exception {
    Path cli = Files.writeString(folder.resolve("engine"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(cli, PosixFilePermissions.fromString("rwx------"));
    return new Engine(cli.toString());
  }

  @Test
  void aHelperThatHoldsTheOutputOpen_holdsUpNoAnswer() throws Exception {
    Path pid = folder.resolve("pid");
    Engine engine =
        engine("echo out; echo err >&2; sleep 90 & echo $! >%s; sleep 1; exit 3".formatted(pid));
    try {
      assertThat(engine.askSoon("inspect")).isEqualTo(new Answer(3, "out\n", "err\n"));
    } finally {
      long helper = Long.parseLong(Files.readString(pid).strip());
      ProcessHandle.of(helper).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void moreThanAPipeHolds_isReadWhole() throws Exception {
    Engine engine =
        engine("head -c 300000 /dev/zero | tr '\\0' x; head -c 200000 /dev/zero | tr '\\0' y >&2");

    Answer answer = engine.askSoon("logs");

    assertThat(answer.ok()).isTrue();
    assertThat(answer.out()).isEqualTo("x".repeat(300_000));
    assertThat(answer.err()).isEqualTo("y".repeat(200_000));
  }

  @Test
  void whatIsGivenUp_hasFailed() throws Exception {
    Process asked = engine("exec sleep 600").begin(java.util.List.of("pull"), java.util.Map.of());
    Thread.ofVirtual().start(asked::destroy);

    assertThat(Engine.answer(asked).ok()).isFalse();
  }
}
