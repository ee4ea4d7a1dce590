package io.stoker.cli.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** JSON trees as YAML. */
final class YamlOutput {
  private static final ObjectMapper MAPPER =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          // Texts in quotes: "1e3" and "no" stay texts for every reader.
          .build();

  private YamlOutput() {}

  /** One document, with the line that begins it and the end of its last one. */
  static String document(JsonNode tree) {
    try {
      return MAPPER.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("every tree of JSON is YAML too", e);
    }
  }
}
