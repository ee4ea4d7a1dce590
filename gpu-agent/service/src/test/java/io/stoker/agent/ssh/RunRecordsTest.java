package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.ssh.RunRecords.RunRecord;
import io.stoker.common.fixture.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunRecordsTest {
  private static final RunRecord RECORD = new RunRecord("node", "/runs/job", Optional.empty());

  @TempDir Path folder;

  @Test
  void onAFullDiskNothingIsAskedOfANodeThatIsNotWrittenDown() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 8, 0)) {
      RunRecords records = new RunRecords(disk.root().resolve("ssh"));
      records.write("before", RECORD);
      Path filling = disk.fill();
      assertThatThrownBy(() -> records.write("job", RECORD))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left on device");
      assertThat(records.read("job")).isEmpty();
      assertThat(records.names()).containsExactly("before");
      assertThat(records.read("before")).hasValue(RECORD);

      disk.free(filling);
      records.write("job", RECORD);
      assertThat(records.read("job")).hasValue(RECORD);
    }
  }

  @Test
  void whatIsWrittenOutlivesALossOfPower() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 8, 0)) {
      RunRecords records = new RunRecords(disk.root().resolve("ssh"));
      records.write("job", RECORD);
      disk.losePower();
      disk.again();
      assertThat(new RunRecords(disk.root().resolve("ssh")).read("job")).hasValue(RECORD);
    }
  }
}
