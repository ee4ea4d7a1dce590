package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Optional;

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
    String host =
        Optional.ofNullable(call.request().getHeader(HttpHeaders.HOST))
            .orElseGet(() -> ofHttp2(call));
    if (host == null || names.has(host)) {
      call.next();
    } else {
      EarlyRefusal.answer(call, ApiException.foreignName(host));
    }
  }

  private static String ofHttp2(RoutingContext call) {
    HostAndPort authority = call.request().authority();
    return authority == null ? null : authority.host();
  }
}
