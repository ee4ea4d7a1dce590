package io.stoker.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JavaCommandTest {
  @Test
  void optionsOfTheEnvironmentAreWords() {
    assertThat(JavaCommand.words(null)).isEmpty();
    assertThat(JavaCommand.words("  ")).isEmpty();
    assertThat(JavaCommand.words(" -Xmx1g   -XX:+UseZGC "))
        .containsExactly("-Xmx1g", "-XX:+UseZGC");
  }
}
