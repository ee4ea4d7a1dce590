package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;

/** The schemas of messages as components of an OpenAPI document. */
final class MessageSchemas {
  /** Names of components, and the files that describe them. */
  private static final Map<String, String> FILES =
      new TreeMap<>(Map.of("Request", "request", "RequestStatus", "status", "LogChunk", "logs"));

  private static final Set<String> OF_MANY =
      Set.of("properties", "patternProperties", "dependentSchemas");
  private static final Set<String> OF_ONE =
      Set.of("items", "additionalProperties", "not", "if", "then", "else", "propertyNames");
  private static final Set<String> OF_SOME = Set.of("allOf", "anyOf", "oneOf", "prefixItems");

  /** What says where a schema is, and what only its file has. */
  private static final Set<String> LEFT_OUT = Set.of("$schema", "$id", "$defs", "$comment");

  private static final String DEFINED = "#/$defs/";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String prefix;

  private MessageSchemas(String prefix) {
    this.prefix = prefix;
  }

  /** By their names; what a file defines for itself has the file's name before its own. */
  static Map<String, Schema> all() {
    Map<String, Schema> all = new LinkedHashMap<>();
    FILES.forEach(
        (name, file) -> {
          JsonNode whole = read(file);
          MessageSchemas of = new MessageSchemas(name);
          all.put(name, of.schema(whole));
          whole
              .path("$defs")
              .properties()
              .forEach(one -> all.put(of.defined(one.getKey()), of.schema(one.getValue())));
        });
    return all;
  }

  private static JsonNode read(String file) {
    String path = "/io/stoker/schema/" + file + ".json";
    try (InputStream in = Json.class.getResourceAsStream(path)) {
      return Json.read(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (MalformedJson e) {
      throw new IllegalStateException("no JSON: " + path, e);
    }
  }

  private String defined(String name) {
    return prefix + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  private Schema schema(JsonNode json) {
    if (json.isBoolean()) {
      return OASFactory.createSchema().booleanSchema(json.booleanValue());
    }
    Schema schema = OASFactory.createSchema();
    json.properties()
        .forEach(
            one -> {
              if (!LEFT_OUT.contains(one.getKey())) {
                put(schema, one.getKey(), one.getValue());
              }
            });
    if (schema.getType() != null && schema.getType().contains(SchemaType.INTEGER)) {
      // A client that is made from this takes an integer for one of 32 bits if nothing else is
      // said.
      boolean small = json.path("maximum").asLong(Long.MAX_VALUE) <= Integer.MAX_VALUE;
      schema.setFormat(small ? "int32" : "int64");
    }
    return schema;
  }

  private void put(Schema schema, String key, JsonNode value) {
    if (key.equals("$ref")) {
      schema.setRef(defined(value.asText().substring(DEFINED.length())));
    } else if (key.equals("type")) {
      schema.setType(types(value));
    } else if (OF_MANY.contains(key)) {
      Map<String, Schema> named = new LinkedHashMap<>();
      value.properties().forEach(one -> named.put(one.getKey(), schema(one.getValue())));
      schema.set(key, named);
    } else if (OF_ONE.contains(key)) {
      schema.set(key, schema(value));
    } else if (OF_SOME.contains(key)) {
      schema.set(key, value.valueStream().map(this::schema).toList());
    } else {
      schema.set(key, MAPPER.convertValue(value, Object.class));
    }
  }

  private static List<SchemaType> types(JsonNode value) {
    List<SchemaType> types = new ArrayList<>();
    (value.isArray() ? value.valueStream() : java.util.stream.Stream.of(value))
        .forEach(type -> types.add(SchemaType.valueOf(type.asText().toUpperCase(Locale.ROOT))));
    return types;
  }
}
