package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.placement.FilterFailure;
import io.stoker.dispatcher.placement.UnschedulableReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page says what each word of an explanation means, and has no others. */
class RestPageTest {
  private static final Path PAGE = Path.of("../../docs/rest.md");
  private static final Pattern WORD = Pattern.compile("`([A-Z_]+)`");

  @Test
  void saysWhatEachObstacleMeans() throws IOException {
    assertThat(words("obstacle"))
        .containsExactlyInAnyOrderElementsOf(names(FilterFailure.values()));
  }

  @Test
  void saysWhatEachLabelMeans() throws IOException {
    assertThat(words("label"))
        .containsAll(names(UnschedulableReason.Reason.values()))
        .doesNotHaveDuplicates();
  }

  /** In the first column of the table with this head. */
  private static List<String> words(String head) throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    return lines.stream()
        .skip(lines.indexOf("| " + head + " | |") + 2L)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.split("\\|")[1])
        .flatMap(cell -> WORD.matcher(cell).results())
        .map(word -> word.group(1))
        .toList();
  }

  private static List<String> names(Enum<?>[] constants) {
    return Arrays.stream(constants).map(Enum::name).toList();
  }
}
