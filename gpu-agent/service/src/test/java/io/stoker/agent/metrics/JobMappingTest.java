package io.stoker.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobMappingTest {
  @TempDir Path data;

  @Test
  void aFileAGpuHasAJobALineAsLongAsThereIsOne() throws IOException {
    JobMapping mapping = new JobMapping(data.resolve("new/folder"));

    mapping.show(Map.of("0", List.of("train-1", "train-2"), "3", List.of("eval")));
    assertThat(files("new/folder")).isEqualTo(Map.of("0", "train-1\ntrain-2\n", "3", "eval\n"));

    mapping.show(Map.of("0", List.of("train-2")));
    assertThat(files("new/folder")).isEqualTo(Map.of("0", "train-2\n"));

    mapping.show(Map.of());
    assertThat(files("new/folder")).isEmpty();
  }

  @Test
  void whatAnEarlierAgentLeftIsRemovedAndNothingElse() throws IOException {
    for (String name : List.of("0", "12", "2.0", "README", "0.old", "x1")) {
      Files.writeString(data.resolve(name), "stale\n");
    }

    new JobMapping(data);

    assertThat(files("")).containsOnlyKeys("README", "0.old", "x1");
  }

  @Test
  void aFolderThatCannotBeUsedIsNamedWithItsKey() throws IOException {
    Path file = Files.writeString(data.resolve("file"), "");

    assertThatThrownBy(() -> new JobMapping(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("stoker.agent.job-mapping-dir")
        .hasMessageContaining(file.toString());
  }

  private Map<String, String> files(String folder) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> found = Files.list(data.resolve(folder))) {
      for (Path file : found.toList()) {
        files.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return files;
  }
}
