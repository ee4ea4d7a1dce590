package io.stoker.cli.input;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Requests as YAML: documents, each an object or a list of objects. */
final class YamlTexts {
  private static final ObjectMapper MAPPER =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private YamlTexts() {}

  static List<Numbered> read(String source, String text) {
    List<JsonNode> documents = new ArrayList<>();
    try (MappingIterator<JsonNode> found = MAPPER.readerFor(JsonNode.class).readValues(text)) {
      found.readAll(documents);
    } catch (IOException e) {
      throw CliException.usage("%s is no YAML: %s".formatted(source, e.getMessage()));
    }
    documents.removeIf(document -> document.isNull() || document.isMissingNode());
    if (documents.size() == 1) {
      return JsonTexts.elements(source, documents.get(0));
    }
    List<Numbered> requests = new ArrayList<>();
    for (int i = 0; i < documents.size(); i++) {
      String place = "%s, document %d".formatted(source, i + 1);
      requests.addAll(JsonTexts.elements(place, documents.get(i)));
    }
    return requests;
  }
}
