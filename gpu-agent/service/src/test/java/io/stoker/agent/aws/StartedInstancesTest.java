package io.stoker.agent.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.fixture.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartedInstancesTest {
  @TempDir Path folder;

  @Test
  void withoutAnInodeNoInstanceCountsAsStartedAndALossOfPowerTakesNone() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 8, 32)) {
      Path place = disk.root().resolve("aws");
      StartedInstances instances = new StartedInstances(place);
      instances.put("i-1");
      int files = 0;
      while (made(disk.root().resolve("file-" + files))) {
        files++;
      }
      assertThatThrownBy(() -> instances.put("i-2"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left on device");
      assertThat(instances.all()).containsExactly("i-1");

      Files.delete(disk.root().resolve("file-0"));
      instances.put("i-2");
      disk.losePower();
      disk.again();
      assertThat(new StartedInstances(place).all()).containsExactlyInAnyOrder("i-1", "i-2");
    }
  }

  private static boolean made(Path file) {
    try {
      Files.createFile(file);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
