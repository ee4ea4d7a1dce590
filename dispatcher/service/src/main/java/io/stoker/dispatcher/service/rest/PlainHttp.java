package io.stoker.dispatcher.service.rest;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Speaks HTTP/1.1 where nothing encrypts. Java's own client asks each server to go on in HTTP/2
 * then, and has lost its place in an answer of some MiB that followed at once. With TLS both sides
 * agree on HTTP/2 before anything is said, as browsers do.
 */
@ApplicationScoped
public class PlainHttp implements HttpServerOptionsCustomizer {
  @Override
  public void customizeHttpServer(HttpServerOptions options) {
    options.setHttp2ClearTextEnabled(false);
  }
}
