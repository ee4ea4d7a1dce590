package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarksTest {
  @TempDir Path folder;

  @Test
  void oneAttemptAfterAnotherIsNoOverlap() throws IOException {
    job("1 start 10.00 7", "1 beat 20.00 7", "2 start 30.00 7", "2 beat 40.00 7", "2 end 50.00 7");

    assertThat(new Marks(folder).overlaps()).isEmpty();
  }

  @Test
  void aLineOfAnEarlierAttemptAfterALaterOneBeganIsAnOverlap() throws IOException {
    job("1 start 10.00 7", "2 start 20.00 7", "1 beat 30.00 7", "2 end 40.00 7");

    assertThat(new Marks(folder).overlaps())
        .singleElement()
        .satisfies(said -> assertThat(said).startsWith("job was run twice at once"));
  }

  @Test
  void twoStartsOfOneAttemptAreTold() throws IOException {
    job("1 start 10.00 7", "1 start 20.00 7", "1 end 30.00 7");

    assertThat(new Marks(folder).overlaps())
        .singleElement()
        .satisfies(said -> assertThat(said).startsWith("job was started twice"));
  }

  private void job(String... lines) throws IOException {
    Files.write(folder.resolve("job"), List.of(lines));
  }
}
