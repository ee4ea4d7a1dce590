package io.stoker.dispatcher.service.page;

import io.stoker.common.request.Fingerprint;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Serves the files that pages are drawn with from memory. The framework would unpack them to disk
 * first, where a dispatcher keeps nothing.
 */
final class Assets {
  private static final int NOT_MODIFIED = 304;

  void register(@Observes Router router) {
    serve(router, "stoker.css", "text/css;charset=UTF-8");
    serve(router, "stoker.js", "text/javascript;charset=UTF-8");
    serve(router, "stoker.svg", "image/svg+xml");
  }

  private static void serve(Router router, String name, String type) {
    byte[] content = read(name);
    String tag = '"' + Fingerprint.sha256(content) + '"';
    Buffer body = Buffer.buffer(content);
    router
        .route("/assets/" + name)
        .method(HttpMethod.GET)
        .method(HttpMethod.HEAD)
        .handler(call -> answer(call, type, tag, body));
  }

  private static void answer(RoutingContext call, String type, String tag, Buffer body) {
    HttpServerResponse response = call.response();
    response.putHeader(HttpHeaders.ETAG, tag);
    if (tag.equals(call.request().getHeader(HttpHeaders.IF_NONE_MATCH))) {
      response.setStatusCode(NOT_MODIFIED).end();
      return;
    }
    response.putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
  }

  private static byte[] read(String name) {
    try (InputStream file = Assets.class.getResourceAsStream("/assets/" + name)) {
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
