package io.stoker.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PackagesTest {
  @Test
  void noPackage_liesInTheCoreAndInTheService() throws IOException {
    Set<String> core = packages(Path.of("../core"));
    Set<String> service = packages(Path.of(""));

    assertThat(core).contains("attempt", "loop");
    assertThat(service).contains("nvml", "runner").doesNotContainAnyElementsOf(core);
  }

  private static Set<String> packages(Path module) throws IOException {
    try (Stream<Path> files = Files.walk(module.resolve("src/main/java/io/stoker/agent"))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getParent().getFileName().toString())
          .collect(Collectors.toSet());
    }
  }
}
