package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** Answers calls with an error before they reach a resource. */
final class EarlyRefusal {
  private EarlyRefusal() {}

  /** What is still sent of the body is read and dropped, so that the sender reads the answer. */
  static void answer(RoutingContext call, ApiException why) {
    call.request().resume();
    call.response()
        .setStatusCode(why.error().status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ApiError.MEDIA_TYPE)
        .end(Buffer.buffer(Json.bytes(why.error())));
  }
}
