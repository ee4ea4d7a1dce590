package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpawnerTest {
  @ParameterizedTest
  @CsvSource({
    "28, No space left on device, true",
    "122, quota exceeded, true",
    "30, Read-only file system, true",
    "5, Input/output error, true",
    "11, Resource temporarily unavailable, true",
    "12, Cannot allocate memory, true",
    "23, Too many open files in system, true",
    "24, Too many open files, true",
    "7, Argument list too long, false",
    "2, No such file or directory, false",
    "13, Permission denied, false",
    "8, Exec format error, false",
  })
  void whatAHostRefusesIsNoFaultOfTheJob(int error, String words, boolean ofTheHost) {
    assertThat(Subreaper.error(error)).contains(words);
    assertThat(Spawner.ofTheHost(error)).isEqualTo(ofTheHost);
  }
}
