package io.stoker.common.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/** The published schemas, as they lie in the jar. */
public final class Schemas {
  public static final List<String> NAMES =
      List.of(
          "control", "events", "heartbeats", "logs", "placements", "request", "requests", "status");

  /** One schema refers to another by its id. */
  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          factory ->
              factory.schemaLoaders(
                  loaders ->
                      loaders.schemas(
                          Map.of("urn:stoker:schema:request:1", text("request").toString()))));

  private Schemas() {}

  public static JsonNode text(String name) {
    try (InputStream in = Json.class.getResourceAsStream("/io/stoker/schema/" + name + ".json")) {
      return Json.read(in.readAllBytes());
    } catch (IOException | MalformedJson e) {
      throw new IllegalStateException("schema " + name, e);
    }
  }

  public static JsonSchema compiled(String name) {
    return FACTORY.getSchema(text(name));
  }

  /** What is wrong with a document; empty if it is valid. */
  public static List<String> problems(JsonSchema schema, JsonNode document) {
    return schema.validate(document).stream().map(ValidationMessage::getMessage).toList();
  }
}
