package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.stoker.cli.testing.Screen;
import io.stoker.common.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class FormatTest {
  private static final List<String> DOCUMENTS =
      List.of(
          "{\"id\":\"a\",\"n\":1.5,\"no\":\"no\",\"digits\":\"012\",\"null\":null,\"empty\":\"\","
              + "\"list\":[1,\"- x\",{\"k\":\"v: w\"}],\"text\":\"one\\ntwo # no comment\\n\","
              + "\"truth\":true,\"date\":\"2026-01-01\",\"exp\":\"1e3\",\"hex\":\"0x1F\",\"tab\":\"a\\tb\"}",
          "{\"id\":\"b\"}");

  private final Screen screen = new Screen();

  @Test
  void yamlSaysWhatJsonSays() throws Exception {
    List<JsonNode> trees = trees();

    assertThat(Format.YAML.print(screen.plain(), trees, tree -> "")).isTrue();

    try (MappingIterator<JsonNode> read =
        new YAMLMapper().readerFor(JsonNode.class).readValues(screen.out())) {
      // As texts: a number read from YAML is of another Java type.
      assertThat(read.readAll()).asString().isEqualTo(trees.toString());
    }
  }

  @Test
  void namesStandAlone() throws Exception {
    assertThat(Format.NAME.print(screen.plain(), trees(), tree -> tree.path("id").asText()))
        .isTrue();
    assertThat(screen.out()).isEqualTo("a\nb\n");
  }

  @Test
  void jsonIsALineEach() throws Exception {
    assertThat(Format.JSON.print(screen.plain(), trees(), tree -> "")).isTrue();
    assertThat(screen.out().lines()).hasSize(2).last().isEqualTo("{\"id\":\"b\"}");
  }

  @Test
  void theAnswerOfWhatDidSomething_isTheNameAlone_orAnObject() {
    Format.TABLE.printName(screen.plain(), "group", "g");
    Format.NAME.printName(screen.plain(), "group", "g");
    Format.JSON.printName(screen.plain(), "group", "g");

    assertThat(screen.out()).isEqualTo("g\ng\n{\"group\":\"g\"}\n");
  }

  @Test
  void aWideTableHasAllColumns() throws Exception {
    Table table = new Table("ID", "HOST").row("a", "");
    assertThat(Format.WIDE.print(screen.plain(), trees(), tree -> "")).isFalse();
    Format.WIDE.print(screen.plain(), table);
    Format.TABLE.print(screen.plain(), table);
    assertThat(screen.out()).isEqualTo("ID  HOST\na\nID\na\n");
  }

  private static List<JsonNode> trees() throws Exception {
    return List.of(Json.read(DOCUMENTS.get(0)), Json.read(DOCUMENTS.get(1)));
  }
}
