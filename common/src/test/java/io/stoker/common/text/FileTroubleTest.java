package io.stoker.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

/** What the library says of these is the path and nothing else. */
class FileTroubleTest {
  @Test
  void saysWhatIsWrongWithAPath() {
    assertThat(FileTrouble.text(new AccessDeniedException("/data/b.zip")))
        .isEqualTo("there is no right to write to /data/b.zip");
    assertThat(FileTrouble.reading(new AccessDeniedException("/data/b.zip")))
        .isEqualTo("there is no right to read /data/b.zip");
    assertThat(FileTrouble.text(new NoSuchFileException("/data"))).isEqualTo("there is no /data");
    assertThat(FileTrouble.text(new FileSystemException("/data", null, "No space left on device")))
        .isEqualTo("/data: No space left on device");
    assertThat(FileTrouble.text(new IOException("it is damaged"))).isEqualTo("it is damaged");
    assertThat(FileTrouble.text(new IOException())).isEqualTo("IOException");
  }
}
