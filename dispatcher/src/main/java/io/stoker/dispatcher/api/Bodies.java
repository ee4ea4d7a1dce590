package io.stoker.dispatcher.api;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;

/** Reads small JSON bodies. */
final class Bodies {
  private Bodies() {}

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
      return Json.read(body, type);
    } catch (MalformedJson e) {
      throw ApiException.malformed("body", e);
    }
  }
}
