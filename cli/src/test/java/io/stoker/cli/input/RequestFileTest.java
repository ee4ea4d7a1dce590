package io.stoker.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestFileTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":\"a\",\"command\":[\"x\"]}\n{\"id\":\"b\",\"command\":[\"x\"]}\n",
        "\n{\"id\":\"a\",\"command\":[\"x\"]}\n\n  {\"id\":\"b\",\"command\":[\"x\"]}",
        "[{\"id\":\"a\",\"command\":[\"x\"]},\n {\"id\":\"b\",\n  \"command\":[\"x\"]}]",
        "- {id: a, command: [x]}\n- id: b\n  command:\n  - x\n",
        "id: a\ncommand: [x]\n---\nid: b\ncommand: [x]\n",
        "---\n# a comment\nid: a\ncommand: [x]\n---\n- {id: b, command: [x]}\n"
      })
  void readsEveryFormInOrder(String text) {
    assertThat(parse(text)).extracting(Submission::id).containsExactly("a", "b");
  }

  /** Jackson takes an alias for a text, and repeats nothing. */
  @Test
  void aliasesStandForNothing() {
    StringBuilder bomb = new StringBuilder("id: a\nparams:\n  a0: &a0 [x, x]\n");
    for (int i = 1; i <= 40; i++) {
      bomb.append("  a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    assertThatThrownBy(() -> parse(bomb.append("command: *a40\n").toString()))
        .isInstanceOfSatisfying(
            CliException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageContaining("command: \"a40\", expected");
  }

  @Test
  void aCycleWithinAFileIsRefusedWithItsPath() {
    String cycle =
        "- {id: x, command: [x]}\n"
            + "- {id: a, command: [x], dependsOn: [x, b]}\n"
            + "- {id: b, command: [x], dependsOn: [a]}\n";

    assertThatThrownBy(() -> parse(cycle))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("dependsOn: a -> b -> a, expected");
  }

  @Test
  void readsOneObjectOverManyLines() {
    List<Submission> requests = parse("{\n  \"id\": \"a\",\n  \"command\": [\"x\"]\n}\n");

    assertThat(requests).hasSize(1);
    assertThat(new String(requests.get(0).body(), StandardCharsets.UTF_8))
        .isEqualTo("{\"command\":[\"x\"],\"id\":\"a\"}");
  }

  @Test
  void sendsTheContentOfACloudEventUnderItsId() {
    List<Submission> requests =
        parse("{\"specversion\":\"1.0\",\"id\":\"e\",\"data\":{\"command\":[\"x\"]}}");

    assertThat(requests).extracting(Submission::id).containsExactly("e");
    assertThat(new String(requests.get(0).body(), StandardCharsets.UTF_8)).contains("\"id\":\"e\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":\"a\",\"command\":[\"x\"],\"resources\":{\"gpus\":-1}} | resources.gpus: -1, expected",
        "{\"id\":\"a\",\"command\":[\"x\"],\"colour\":1} | colour",
        "{\"id\":\"a\",\"command\":[\"x\"]}\\n{\"id\":\"b\"} | requests, line 2, b: command: missing",
        "{\"id\":\"a\",\"command\":[\"x\"]}\\n{\"id\":\"b\" | requests, line 2 is no JSON",
        "[{\"id\":\"a\",\"command\":[\"x\"]},{\"command\":[\"x\"]}] | requests, request 2: id: missing",
        "{\"id\":\"a\",\\n\"command\":[\"x\"\\n} | requests is no JSON",
        "id: a\\nid: b | requests is no YAML",
        "just words | requests: request: \"just words\"",
        "` ` | requests is empty"
      })
  void namesPlaceFieldValueAndWhatWasExpected(String text, String message) {
    assertThatThrownBy(() -> parse(text.replace("\\n", "\n")))
        .isInstanceOf(CliException.class)
        .hasMessageContaining(message)
        .extracting(e -> ((CliException) e).exitCode())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void readsStandardInput() {
    byte[] bytes = "{\"id\":\"a\",\"command\":[\"x\"]}".getBytes(StandardCharsets.UTF_8);

    assertThat(RequestFile.read("-", new ByteArrayInputStream(bytes))).hasSize(1);
  }

  @Test
  void aFilesNameTellsYaml(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("r.yml"), "{id: a, command: [x]}");

    assertThat(RequestFile.read(file.toString(), InputStreamThatFails.INSTANCE)).hasSize(1);
  }

  @Test
  void namesAFileThatIsNotThere() {
    assertThatThrownBy(() -> RequestFile.read("/no/such", InputStreamThatFails.INSTANCE))
        .hasMessageContaining("/no/such: no such file");
  }

  @Test
  void refusesOtherEncodings() {
    assertThatThrownBy(() -> RequestFile.parse("requests", new byte[] {'{', (byte) 0xff}, false))
        .hasMessageContaining("not UTF-8");
  }

  private static List<Submission> parse(String text) {
    return RequestFile.parse("requests", text.getBytes(StandardCharsets.UTF_8), false);
  }
}
