package io.stoker.common.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;

/**
 * Reads a value that is only passed on: a large one is kept as text, of which a tree would take
 * many times as much memory for as long as it is held.
 */
public final class LargeJson extends JsonDeserializer<JsonNode> {
  private static final int LARGE = 1024;

  @Override
  public JsonNode deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    JsonNode tree = context.readTree(parser);
    String text = tree.toString();
    return text.length() < LARGE ? tree : Json.raw(text);
  }

  @Override
  public JsonNode getAbsentValue(DeserializationContext context) {
    return null;
  }

  @Override
  public JsonNode getNullValue(DeserializationContext context) {
    return NullNode.instance;
  }
}
