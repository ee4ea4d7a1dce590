package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.spawn.OwnProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The spawner dies and cannot be started for a while: a folder is where its errors go. */
@Timeout(300)
class SpawnerTroubleTest {
  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws Exception {
    host = new RunnerFixture(data);
    host.sh("before", "exit 0");
    host.next(Input.Exited.class);
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private Path breakSpawner() throws Exception {
    Path err = data.resolve("launcher.err");
    Files.delete(err);
    Files.createDirectory(err);
    OwnProcess spawner = Spawners.only(data);
    spawner.kill();
    return err;
  }

  @Test
  void isSaidAndEndsByItselfAndWhatIsAskedForMeanwhileIsGivenBack() throws Exception {
    AttemptKey running =
        host.sh(
            "running",
            "until [ -e %s ]; do sleep 0.05; done; exit 3".formatted(data.resolve("end")));
    host.next(Input.Started.class);
    Path inTheWay = breakSpawner();

    Input.PartJudged broken = host.next(Input.PartJudged.class);
    assertThat(broken.part()).isEqualTo(Part.SPAWNER);
    assertThat(broken.trouble().orElseThrow()).startsWith("the spawner cannot be started: ");
    AttemptKey meanwhile = host.sh("meanwhile", "exit 0");
    Input.NotStarted refused = host.next(Input.NotStarted.class);
    assertThat(refused.key()).isEqualTo(meanwhile);
    assertThat(refused.cause()).isEqualTo(Input.Cause.REFUSED);
    assertThat(refused.reason()).startsWith("the spawner cannot be started: ");

    Files.delete(inTheWay);
    assertThat(host.next(Input.PartJudged.class))
        .isEqualTo(new Input.PartJudged(Part.SPAWNER, Optional.empty()));
    host.sh("after", "exit 4");
    assertThat(host.next(Input.Exited.class).end().exitCode()).hasValue(4);
    Files.createFile(data.resolve("end"));
    Input.Exited last = host.next(Input.Exited.class);
    assertThat(last.key()).as("what ran has run on").isEqualTo(running);
    assertThat(last.end().exitCode()).hasValue(3);
  }
}
