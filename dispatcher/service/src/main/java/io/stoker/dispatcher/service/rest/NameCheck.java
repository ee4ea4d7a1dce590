package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import java.util.List;

/** Refuses calls under a name that is not the dispatcher's, those under {@code /q} included. */
final class NameCheck {
  /** Behind those that note calls and add headers to answers, before all that may answer. */
  private static final int FIRST = -900;

  private final OwnNames names;

  NameCheck(StokerConfig config) {
    names = new OwnNames(config.http().names().orElse(List.of()));
  }

  void register(@Observes Router router) {
    router.route().order(FIRST).handler(this::look);
  }

  private void look(RoutingContext call) {
    String host = host(call.request());
    if (host == null || names.has(host)) {
      call.next();
    } else {
      EarlyRefusal.answer(call, ApiException.foreignName(host));
    }
  }

  /** As {@code Host} says it, which by HTTP/2 is told elsewhere; null if nothing does. */
  static String host(HttpServerRequest call) {
    String host = call.getHeader(HttpHeaders.HOST);
    return host == null && call.authority() != null ? call.authority().toString() : host;
  }
}
