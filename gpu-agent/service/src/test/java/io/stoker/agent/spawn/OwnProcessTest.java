package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnProcessTest {
  @TempDir Path folder;

  @Test
  void alive_ofOneWhoseFirstThreadHasEnded_isTrueAsLongAsAnotherRuns() throws Exception {
    Process process = new ProcessBuilder(compiled().toString()).start();
    try {
      OwnProcess own = OwnProcess.of(process.pid());
      await().until(() -> OwnProcess.stat(own.pid()).orElseThrow().state() == 'Z');

      assertThat(own.alive()).isTrue();
      assertThat(own.exitCode()).isEmpty();
      own.kill();
      process.waitFor();
      assertThat(own.alive()).isFalse();
    } finally {
      process.destroyForcibly();
    }
  }

  private Path compiled() throws Exception {
    Path source =
        Files.writeString(
            folder.resolve("two.c"),
            """
            #include <pthread.h>
            #include <unistd.h>
            static void *other(void *nothing) { sleep(1000); return nothing; }
            int main(void) {
              pthread_t thread;
              pthread_create(&thread, 0, other, 0);
              pthread_exit(0);
            }
            """);
    Path program = folder.resolve("two");
    Process compiler =
        new ProcessBuilder("cc", "-pthread", "-o", program.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    return program;
  }
}
