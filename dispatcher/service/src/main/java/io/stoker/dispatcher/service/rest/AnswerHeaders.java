package io.stoker.dispatcher.service.rest;

import io.vertx.core.MultiMap;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

/**
 * What every answer tells a browser, those under {@code /q} and errors included: to take it for
 * what its type says and nothing else, to keep no copy, and to show it in no other page. A page
 * that somebody else's text is in runs no script, whatever it holds.
 */
final class AnswerHeaders {
  /** Before all that may answer, the check of who calls included. */
  private static final int FIRST = -1000;

  private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

  void register(@Observes Router router) {
    router.route().order(FIRST).handler(AnswerHeaders::add);
  }

  private static void add(RoutingContext call) {
    String path = call.normalizedPath();
    boolean page = path.endsWith(".html");
    MultiMap headers = call.response().headers();
    headers.set(
        "Content-Security-Policy", page ? NOTHING + "; style-src 'unsafe-inline'" : NOTHING);
    headers.set("X-Content-Type-Options", "nosniff");
    // What a page is drawn with is no secret.
    headers.set("Cache-Control", path.startsWith("/assets/") ? "no-cache" : "no-store");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    call.next();
  }
}
