package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.size.Limits;

/** Reads small JSON bodies. */
final class Bodies {
  private Bodies() {}

  /**
   * The body, if it is not too large.
   *
   * @throws ApiException 413
   */
  static byte[] checked(byte[] body) {
    if (body != null && body.length > Limits.BODY) {
      throw ApiException.tooLarge(body.length);
    }
    return body;
  }

  /**
   * The body.
   *
   * @param otherwise where there is none
   * @throws ApiException 400 if it is no such object
   */
  static <T> T read(byte[] body, Class<T> type, T otherwise) {
    if (body == null || body.length == 0) {
      return otherwise;
    }
    try {
      return Json.read(tree(body), type);
    } catch (MalformedJson e) {
      throw ApiException.malformed("body", e);
    }
  }

  /**
   * The body as it is.
   *
   * @throws ApiException 400 if there is something in it that cannot be stored
   */
  static JsonNode tree(byte[] body) throws MalformedJson {
    JsonNode tree = Json.read(checked(body));
    requireStorable(tree, "body");
    return tree;
  }

  /**
   * Refuses what the database does not take.
   *
   * @param name of the value as a whole
   * @throws ApiException 400, names the first of it
   */
  static void requireStorable(JsonNode value, String name) {
    JsonRules.unstorable(value)
        .ifPresent(
            broken -> {
              String field = broken.path().isEmpty() ? name : broken.path();
              throw ApiException.badRequest(field, broken.value(), broken.expected());
            });
  }
}
