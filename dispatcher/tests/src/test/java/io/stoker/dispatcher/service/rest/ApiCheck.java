package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.restassured.RestAssured;
import io.restassured.filter.Filter;
import io.restassured.filter.FilterContext;
import io.restassured.response.Response;
import io.restassured.specification.FilterableRequestSpecification;
import io.restassured.specification.FilterableResponseSpecification;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.schema.Schemas;
import java.net.URI;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Holds each answer against what OpenAPI says of it: a client that is made from that reads what is
 * answered. Nothing may be answered that is not described.
 */
final class ApiCheck implements Filter {
  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);

  /** Of a schema that no file of ours describes all properties are known. */
  private static final String CLOSED = "additionalProperties";

  private final Map<String, JsonSchema> compiled = new HashMap<>();
  private ObjectNode document;

  @Override
  public Response filter(
      FilterableRequestSpecification request,
      FilterableResponseSpecification answer,
      FilterContext context) {
    Response response = context.next(request, answer);
    String path = URI.create(request.getURI()).getPath();
    if (!path.startsWith("/q/")) {
      check(request.getMethod(), path, response);
    }
    return response;
  }

  private void check(String method, String path, Response response) {
    JsonNode paths = document().path("paths");
    String template =
        StreamSupport.stream(((Iterable<String>) paths::fieldNames).spliterator(), false)
            .filter(one -> pattern(one).matcher(path).matches())
            .min(Comparator.comparingLong(ApiCheck::parameters))
            .orElse(null);
    if (template == null) {
      assertThat(response.statusCode()).as(path).isEqualTo(404);
      return;
    }
    JsonNode call = paths.path(template).path(method.toLowerCase(Locale.ROOT));
    if (call.isMissingNode()) {
      assertThat(response.statusCode()).as("%s %s", method, path).isEqualTo(405);
      return;
    }
    String what = "%s %s answered %d".formatted(method, template, response.statusCode());
    JsonNode told = call.path("responses").path(Integer.toString(response.statusCode()));
    assertThat(told.isMissingNode()).as("%s, which is not described", what).isFalse();
    String type = response.contentType().replaceFirst(";.*", "");
    JsonNode content = told.path("content").path(type);
    assertThat(content.isMissingNode()).as("%s with %s, not described", what, type).isFalse();
    if (type.endsWith("json") && !type.contains("ndjson")) {
      assertThat(Schemas.problems(schema(what, content.path("schema")), json(response)))
          .as("%s: %s", what, response.asString())
          .isEmpty();
    }
  }

  private JsonSchema schema(String what, JsonNode schema) {
    return compiled.computeIfAbsent(
        what,
        key -> {
          ObjectNode root = schema.deepCopy();
          root.set("components", document().path("components"));
          return FACTORY.getSchema(root);
        });
  }

  private ObjectNode document() {
    if (document == null) {
      document =
          (ObjectNode)
              json(RestAssured.given().noFilters().get("/q/openapi?format=json").andReturn());
      document
          .path("components")
          .path("schemas")
          .properties()
          .forEach(one -> close(one.getKey(), one.getValue()));
    }
    return document;
  }

  private static void close(String name, JsonNode schema) {
    if (schema.has("properties") && !schema.has(CLOSED) && !name.startsWith("Request")) {
      ((ObjectNode) schema).put(CLOSED, false);
    }
  }

  private static Pattern pattern(String template) {
    return Pattern.compile(template.replace(".", "\\.").replaceAll("\\{[^}]*}", "[^/]+"));
  }

  private static long parameters(String template) {
    return template.chars().filter(one -> one == '{').count();
  }

  private static JsonNode json(Response response) {
    try {
      return Json.read(response.asString());
    } catch (MalformedJson e) {
      throw new AssertionError("no JSON: " + response.asString(), e);
    }
  }
}
