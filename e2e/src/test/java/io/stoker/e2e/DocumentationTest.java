package io.stoker.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages lead to what is there. */
class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");

  static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(Checkout.root());
        Stream<Path> docs = Files.walk(Checkout.root().resolve("docs"));
        Stream<Path> examples = Files.walk(Checkout.examples());
        Stream<Path> deploy = Files.walk(Checkout.root().resolve("deploy"))) {
      return Stream.of(top, docs, examples, deploy)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkLeadsToAFileOfTheTree(Path page) throws IOException {
    Matcher link = LINK.matcher(Files.readString(page));
    while (link.find()) {
      String target = link.group(1).replaceFirst("#.*", "");
      if (!target.isEmpty() && !target.contains("://")) {
        assertThat(page.resolveSibling(target)).as("link in %s", page).exists();
      }
    }
  }

  @Test
  void everyDecisionIsListedAndHasItsFourParts() throws IOException {
    Path folder = Checkout.root().resolve("docs/adr");
    String index = Files.readString(folder.resolve("README.md"));
    try (Stream<Path> records = Files.list(folder)) {
      for (Path file : records.filter(f -> !f.endsWith("README.md")).toList()) {
        assertThat(index).contains("(" + file.getFileName() + ")");
        assertThat(Files.readString(file))
            .as(file.toString())
            .contains("**Status:**", "## Context", "## Decision", "## Consequences");
      }
    }
  }

  @Test
  void architectureNamesEveryPackageOfTheServices() throws IOException {
    String page = Files.readString(Checkout.root().resolve("docs/architecture.md"));
    for (String home :
        List.of(
            "dispatcher/core/src/main/java/io/stoker/dispatcher",
            "dispatcher/service/src/main/java/io/stoker/dispatcher/service",
            "gpu-agent/core/src/main/java/io/stoker/agent",
            "gpu-agent/service/src/main/java/io/stoker/agent")) {
      try (Stream<Path> packages = Files.list(Checkout.root().resolve(home))) {
        packages
            .filter(Files::isDirectory)
            .forEach(one -> assertThat(page).contains("**`" + one.getFileName() + "`**"));
      }
    }
  }
}
