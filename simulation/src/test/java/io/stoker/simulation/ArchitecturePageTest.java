package io.stoker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each point of the protocol names what shows that it is needed: planted defects, or tests. */
class ArchitecturePageTest {
  private static final Path CHECKOUT = Path.of("..");
  private static final String SECTION = "## The protocol, and why";
  private static final List<String> HEAD =
      List.of("| point | without it | shown by |", "|---|---|---|");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");
  private static final Pattern TEST = Pattern.compile(".*/src/test/java/.*/(\\w+Test)\\.java");

  private static Set<String> known;

  @BeforeAll
  static void findWhatMayBeNamed() throws IOException {
    try (Stream<Path> files = Files.walk(CHECKOUT)) {
      Stream<String> tests =
          files
              .map(file -> TEST.matcher(file.toString()))
              .filter(file -> file.matches())
              .map(file -> file.group(1));
      Stream<String> defects = Arrays.stream(Defect.values()).map(Defect::name);
      known = Stream.concat(tests, defects).collect(Collectors.toSet());
    }
  }

  static List<String> points() throws IOException {
    return Files.readAllLines(CHECKOUT.resolve("docs/architecture.md")).stream()
        .dropWhile(line -> !line.equals(SECTION))
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("|") && !HEAD.contains(line))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("points")
  void isShownByWhatIsThere(String point) {
    String shownBy = point.split("\\|", -1)[3];
    assertThat(NAME.matcher(shownBy).results().map(name -> name.group(1)))
        .isNotEmpty()
        .isSubsetOf(known);
  }
}
