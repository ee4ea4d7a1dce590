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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages lead to what is there. */
class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
  private static final Pattern LISTED_CLASS = Pattern.compile("(?m)^\\d+\\. `([\\w.]+)`");

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

  /** So that a newcomer can read them in that order. */
  @ParameterizedTest
  @CsvSource({"dispatcher, dispatcher", "agent, gpu-agent"})
  void architecture_classesOfASide_areAtMost30AndAllThere(String side, String module)
      throws IOException {
    String page = Files.readString(Checkout.root().resolve("docs/architecture.md"));
    String section = page.split("### Classes of the " + side + "\n")[1].split("\n##")[0];

    List<String> classes =
        LISTED_CLASS.matcher(section).results().map(one -> one.group(1)).toList();

    assertThat(classes).hasSizeBetween(1, 30).doesNotHaveDuplicates();
    assertThat(classes)
        .hasSameSizeAs(section.lines().filter(line -> line.matches("\\d.*")).toList());
    assertThat(classes).allMatch(name -> isThere(name, side, module));
  }

  private static boolean isThere(String name, String side, String module) {
    String file = name.replace('.', '/') + ".java";
    return Stream.of(
            module + "/core/src/main/java/io/stoker/" + side,
            module + "/service/src/main/java/io/stoker/" + side,
            "common/src/main/java/io/stoker")
        .anyMatch(folder -> Files.exists(Checkout.root().resolve(folder).resolve(file)));
  }
}
