package io.stoker.cli.stack.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.local.Home;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.Guard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedDriverTest {
  @TempDir Path dir;

  @Test
  void itIsCompiledOnceForEachStateOfItsSource() throws Exception {
    Path source = Home.locate().simulatedDriver();
    Path library = new SimulatedDriver(source, dir).library();
    FileTime made = Files.getLastModifiedTime(library);

    assertThat(new SimulatedDriver(source, dir).library()).isEqualTo(library);
    assertThat(Files.getLastModifiedTime(library)).isEqualTo(made);
    Path changed = dir.resolve("changed.c");
    Files.writeString(changed, Files.readString(source) + "\n");
    assertThat(new SimulatedDriver(changed, dir).library()).isNotEqualTo(library).exists();
  }

  @Test
  void withoutACompilerItSaysWhatToDo() {
    Path source = Home.locate().simulatedDriver();

    assertThatThrownBy(() -> new SimulatedDriver(source, dir, name -> Optional.empty()).library())
        .isInstanceOf(CliException.class)
        .hasMessageContaining("simulated GPUs need a C compiler")
        .hasMessageContaining("gcc libc6-dev");
  }

  @Test
  void aSourceThatDoesNotCompileIsShownWithWhatTheCompilerSaid() throws Exception {
    Path broken = Files.writeString(dir.resolve("broken.c"), "this is no C\n");

    assertThatThrownBy(() -> new SimulatedDriver(broken, dir, Guard::onPath).library())
        .isInstanceOf(CliException.class)
        .hasMessageContaining("error:");
  }

  @Test
  void gpusAreMadeAnewWithTheSameUuids() throws Exception {
    SimulatedGpus gpus = new SimulatedGpus(dir.resolve("host-1"));
    gpus.make("host-1", 2);
    String uuid = Files.readString(dir.resolve("host-1/gpu1/uuid"));
    Files.writeString(dir.resolve("host-1/gpu1/xids"), "79\n");

    gpus.make("host-1", 3);

    assertThat(dir.resolve("host-1/gpu2/uuid")).exists();
    assertThat(dir.resolve("host-1/gpu1/xids")).hasContent("");
    assertThat(dir.resolve("host-1/gpu1/uuid")).hasContent(uuid);
    gpus.make("host-1", 1);
    assertThat(dir.resolve("host-1/gpu1")).doesNotExist();
    new SimulatedGpus(dir.resolve("host-2")).make("host-2", 2);
    assertThat(Files.readString(dir.resolve("host-2/gpu1/uuid"))).isNotEqualTo(uuid);
  }
}
