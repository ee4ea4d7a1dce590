package io.stoker.common.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.AttemptEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The reference page documents each constant, in order, and nothing that is not there. */
class CodesPageTest {
  private static final Path PAGE = Path.of("../docs/codes.md");

  static Stream<Arguments> enumerations() {
    return Stream.of(
        arguments("Request states", RequestState.values()),
        arguments("Job states", JobState.values()),
        arguments("Codes", Code.values()),
        arguments("Failure categories", FailureCategory.values()),
        arguments("Attempt events", AttemptEvent.Type.values()),
        arguments("Attempt outcomes", AttemptEvent.Outcome.values()));
  }

  @ParameterizedTest
  @MethodSource("enumerations")
  void documentsEveryConstant(String section, Enum<?>[] constants) throws IOException {
    List<List<String>> rows = rows(section);
    assertThat(rows.stream().map(row -> row.get(0)))
        .containsExactlyElementsOf(Arrays.stream(constants).map(Enum::name).toList());
    assertThat(rows).allSatisfy(row -> assertThat(row.get(row.size() - 1)).endsWith("."));
  }

  @Test
  void saysWhichStatesAreTerminal() throws IOException {
    for (List<String> row : rows("Request states")) {
      assertThat(RequestState.valueOf(row.get(0)).terminal()).isEqualTo(row.get(1).equals("yes"));
    }
    for (List<String> row : rows("Job states")) {
      assertThat(JobState.valueOf(row.get(0)).terminal()).isEqualTo(row.get(1).equals("yes"));
    }
  }

  @Test
  void givesTheFiguresOfEachCategory() throws IOException {
    for (List<String> row : rows("Failure categories")) {
      FailureCategory category = FailureCategory.valueOf(row.get(0));
      String attempts = String.valueOf(category.defaultAttempts());
      assertThat(row.subList(1, 4))
          .containsExactly(category.key(), attempts, Code.of(category).name());
      assertThat(FailureCategory.keys().split(", ")).contains(category.key());
    }
  }

  @Test
  void namesOnlyStatesThatThereAre() throws IOException {
    List<String> states = Arrays.stream(RequestState.values()).map(Enum::name).toList();
    for (List<String> row : rows("Codes")) {
      assertThat(states).contains(row.get(1).split(", "));
    }
  }

  @ParameterizedTest
  @EnumSource(JobState.class)
  void aJobIsShownByTheStateOfItsName(JobState state) {
    assertThat(state.shown().name()).isEqualTo(state.name());
    assertThat(state.shown().terminal()).isEqualTo(state.terminal());
  }

  /** The cells of the section's table, without back-ticks; neither its head nor its rule. */
  private static List<List<String>> rows(String section) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(PAGE)) {
      inside = line.startsWith("## ") ? line.equals("## " + section) : inside;
      if (inside && line.startsWith("| `")) {
        String[] cells = line.replace("`", "").split("\\|");
        rows.add(Arrays.stream(cells).skip(1).map(String::strip).toList());
      }
    }
    return rows;
  }
}
